import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opening more files at once than the process may: the Concurrency Programming Guide's use of a dispatch semaphore
/// ("Using Dispatch Semaphores to Regulate the Use of Finite Resources").
///
/// A process has a limited number of descriptors, and nothing in Dispatch knows of it. Tasks that each open a file and
/// keep it open while they work are run as fast as the pool grows; once the descriptors are gone, `open` fails with
/// `EMFILE`. The document's cure is a semaphore that starts at half the descriptors,
///
/// ```c
/// dispatch_semaphore_t fd_sema = dispatch_semaphore_create(getdtablesize() / 2);
/// dispatch_semaphore_wait(fd_sema, DISPATCH_TIME_FOREVER);
/// fd = open("/etc/services", O_RDONLY);
/// close(fd);
/// dispatch_semaphore_signal(fd_sema);
/// ```
///
/// waited for by each task before its `open` and signalled behind its `close`. Everything here is real: the trial lowers
/// the soft limit of its process (`RLIMIT_NOFILE`), and the tasks open a file that surely exists, the lab's own binary,
/// since `/etc/services` may not. They hold it open with `nanosleep`, standing for the processing of the file: a task
/// that blocks, which is what makes the pool grow.
public struct FileDescriptorSemaphore: Pattern {
  private enum Way: String {
    case unlimited
    case semaphore
    case semaphoreAtSubmit = "semaphore-at-submit"
    case queuePool = "queue-pool"
  }

  /// `fd-semaphore`.
  public let name = "fd-semaphore"

  /// What the semaphore starts at, given `getdtablesize()`; a test gives too many.
  let semaphoreValue: @Sendable (_ tableSize: Int) -> Int

  /// The pattern, its semaphore as in the document: half the descriptors.
  public init() { self.init { $0 / 2 } }

  init(semaphoreValue: @escaping @Sendable (_ tableSize: Int) -> Int) { self.semaphoreValue = semaphoreValue }

  /// `limit`, `tasks`, `hold`.
  public let parameters: [Parameter] = [
    .count("limit", 16...65_536, default: 64, "open descriptors the process may have (soft RLIMIT_NOFILE)"),
    .count("tasks", 1...10_000, default: 400, "tasks, each of which opens one file"),
    .duration("hold", 0...1_000_000_000, default: 10_000_000, "how long each task keeps its file open, blocked"),
  ]

  /// No limit, the semaphore in the task and before it, and a pool of queues.
  public let variants = [
    Variant("unlimited", .broken, "a private serial queue for each task, which opens its file at once"),
    Variant("semaphore", .documented, "the same, each task waits for one of getdtablesize()/2 places"),
    Variant("semaphore-at-submit", .documented, "the place is waited for before the task is submitted"),
    Variant("queue-pool", .documented, "tasks take turns on as many serial queues as cores, at most 32"),
  ]

  /// Failed opens, peaks, waits and the time of it all.
  public let metrics = [
    Metric("failed-opens", .count, .none, "opens that failed because no descriptor was left (EMFILE)"),
    Metric("peak-open", .count, .none, "most files the tasks had open at once"),
    Metric("over-limit", .count, .none, "opens that made it more files than half the descriptors"),
    Metric("wait", .latency, .nanoseconds, "how long a task, or who submits it, waited for a place"),
    Metric("peak-threads", .count, .none, "most tasks begun and not ended: pool threads held, blocked ones included"),
    Metric("elapsed", .latency, .nanoseconds, "from the first submission to the end of the last task"),
  ]

  /// The most queues YYDispatchQueuePool allows.
  private static let maximumPool = 32
  /// The most threads libdispatch's pool grows to.
  private static let maximumThreads = 255

  /// Runs all tasks once under the lowered limit.
  ///
  /// - Throws: ``TrialFailure`` when the hard limit is below `limit`, when so many descriptors are open already that
  ///   the semaphore's half is not free, or when there are not so many threads to be had.
  public func run(_ trial: Trial) throws -> Observation {
    guard let way = Way(rawValue: trial.variant) else { preconditionFailure("no variant '\(trial.variant)'") }
    try requireThreads(way, trial)
    // Dispatch opens descriptors of its own with the first block (three here) and traps without room for them.
    DispatchQueue(label: "gcdlab.warm-up").sync {}
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
    let limits = try DescriptorLimit.current()
    let limit = trial.integer("limit")
    guard limit <= limits.hard else {
      throw TrialFailure("a limit of \(limit) open descriptors is needed, this process may have \(limits.hard)")
    }
    try DescriptorLimit.setSoft(limit)
    defer { try? DescriptorLimit.setSoft(limits.soft) }
    return try openFiles(way, trial)
  }

  private func requireThreads(_ way: Way, _ trial: Trial) throws {
    let threads =
      switch way {
      case .unlimited, .semaphore: min(trial.integer("tasks"), Self.maximumThreads)
      case .semaphoreAtSubmit: min(trial.integer("tasks"), trial.integer("limit") / 2, Self.maximumThreads)
      case .queuePool: min(trial.cores, Self.maximumPool)
      }
    do { try SystemThread.requireRoom(for: threads) } catch {
      throw TrialFailure("up to \(threads) threads are needed: \(error)")
    }
  }

  private func openFiles(_ way: Way, _ trial: Trial) throws -> Observation {
    let (limit, tasks) = (trial.integer("limit"), trial.integer("tasks"))
    let half = DescriptorLimit.tableSize / 2
    let free = DescriptorLimit.free(below: limit)
    guard free >= half else {
      throw TrialFailure(
        "\(half) of \(limit) descriptors must be free, \(free) are: set limit to at least \(2 * (limit - free))")
    }
    let files = Files(path: Host.executablePath, hold: trial.integer("hold"), allowed: half)
    let waits = Waits(count: tasks)
    let queues = (0..<(way == .queuePool ? min(trial.cores, Self.maximumPool) : tasks)).map { index in
      DispatchQueue(label: "gcdlab.files.\(index)")
    }
    let semaphore = DispatchSemaphore(value: semaphoreValue(DescriptorLimit.tableSize))
    let all = DispatchGroup()
    let elapsed = MonotonicClock.time {
      for task in 0..<tasks {
        // Round robin, as in YYDispatchQueuePool; only here one thread submits, so that the counter need not be atomic.
        let queue = queues[task % queues.count]
        switch way {
        case .unlimited, .queuePool:
          queue.async(group: all) { files.occupyingThread { files.process() } }
        case .semaphore:
          queue.async(group: all) {
            files.occupyingThread {
              waits.time(task) { semaphore.wait() }
              files.process()
              semaphore.signal()
            }
          }
        case .semaphoreAtSubmit:
          waits.time(task) { semaphore.wait() }
          queue.async(group: all) {
            files.occupyingThread { files.process() }
            semaphore.signal()
          }
        }
      }
      all.wait()
    }
    if let error = files.unexpectedError { throw TrialFailure(SystemError(error, "open \(files.path)").description) }
    var observation = files.observation
    if way == .semaphore || way == .semaphoreAtSubmit { observation.record("wait", waits.histogram) }
    observation.record("elapsed", Double(elapsed))
    return observation
  }
}

/// The files that the tasks open, and how many are open at once.
private final class Files: Sendable {
  let path: String
  private let hold: Int
  private let allowed: Int
  private let open = Gauge()
  private let threads = Gauge()
  private let failed = Atomic<Int>(0)
  private let overLimit = Atomic<Int>(0)
  private let otherError = Atomic<Int32>(0)

  init(path: String, hold: Int, allowed: Int) {
    self.path = path
    self.hold = hold
    self.allowed = allowed
  }

  /// One task: opens the file, holds it, closes it.
  func process() {
    let descriptor = systemOpen(path)
    guard descriptor >= 0 else {
      let error = errno
      if error == EMFILE { failed.add(1, ordering: .relaxed) } else { otherError.store(error, ordering: .relaxed) }
      return
    }
    // Counted behind the open and before the close: never more than are truly open.
    if open.up() > allowed { overLimit.add(1, ordering: .relaxed) }
    pause(nanoseconds: hold)
    open.down()
    close(descriptor)
  }

  /// Counts the pool thread that runs `body`.
  func occupyingThread(_ body: () -> Void) {
    threads.up()
    body()
    threads.down()
  }

  /// A failure to open that has nothing to do with the limit.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .relaxed)
    return error == 0 ? nil : error
  }

  var observation: Observation {
    var observation = Observation()
    observation.record("failed-opens", failed.load(ordering: .relaxed))
    observation.record("peak-open", open.peak)
    observation.record("over-limit", overLimit.load(ordering: .relaxed))
    observation.record("peak-threads", threads.peak)
    return observation
  }
}

/// `open`, which the members of ``Files`` would hide.
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

/// Blocks the calling thread: the document's processing of a file.
private func pause(nanoseconds: Int) {
  guard nanoseconds > 0 else { return }
  var left = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  var rest = timespec()
  while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
}

/// A count that goes up and down and remembers its peak.
private final class Gauge: Sendable {
  private let value = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)

  @discardableResult func up() -> Int {
    let now = value.add(1, ordering: .relaxed).newValue
    highest.max(now, ordering: .relaxed)
    return now
  }

  func down() { value.subtract(1, ordering: .relaxed) }

  var peak: Int { highest.load(ordering: .relaxed) }
}

/// How long each task waited for its place: one slot a task, so that recording needs no lock.
private final class Waits: @unchecked Sendable {  // A slot is written by its task alone and read after all have ended.
  private let slots: UnsafeMutableBufferPointer<UInt64>

  init(count: Int) {
    slots = .allocate(capacity: count)
    slots.initialize(repeating: 0)
  }

  deinit { slots.deallocate() }

  func time(_ task: Int, _ wait: () -> Void) { slots[task] = MonotonicClock.time(wait) }

  var histogram: LatencyHistogram {
    var histogram = LatencyHistogram()
    for wait in slots { histogram.record(wait) }
    return histogram
  }
}
