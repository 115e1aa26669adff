import Dispatch
import Instruments
import Synchronization

/// The code that runs the trials, in which tasks open files under a lowered limit.
extension FileDescriptorSemaphore: FindingPattern, SaturatingPattern {
  /// Returns a finding for each number of tasks: how many files the semaphore admits, and from which limit it never
  /// blocks a task, if a run has such a limit. In a search, the finding is part of the answer.
  func findings(in results: Results) -> [RunNote] {
    func value(_ parameter: ParameterKey<Int>, of run: Run) -> Int { parameter.value(in: run.parameters) ?? 0 }
    let seeksBest = results.experiment.seeksBest
    return results.runs.filter { $0.variant.name.hasPrefix("semaphore") }.grouped { value(tasks, of: $0) }
      .compactMap { tasks, runs in
        let open = runs.filter { value(limit, of: $0) / 2 >= tasks }
        let free = "from limit \(2 * tasks) on, the semaphore blocks none of \(tasks) tasks"
        guard seeksBest else {
          return open.isEmpty
            ? nil
            : RunNote("never-waits", "the semaphore admits limit / 2 open files; \(free)", runs: open.map(\.label))
        }
        let files = Set(runs.map { value(limit, of: $0) }).sorted().map { limit in
          "\(limit / 2) at limit \(limit)"
        }
        return RunNote(
          Conclusion.advice,
          "The semaphore admits limit / 2 open files: \(files.joined(separator: ", ")); \(free).",
          runs: runs.map(\.label))
      }
  }

  /// Returns the limit from which the semaphore never blocks a task, and from which every task can open its file.
  func saturation(of parameter: String, with parameters: [String: ParameterValue]) -> (from: Int, reason: String)? {
    guard parameter == limit.name, let tasks = tasks.value(in: parameters) else { return nil }
    return (2 * tasks, "from \(2 * tasks) on, the semaphore blocks none of \(tasks) tasks")
  }

  /// Returns the maximum duration of a trial, in which all tasks run one after the other and the longest wait times
  /// out.
  func longest(_ trial: Trial) -> Duration? { trial[hold] * trial[tasks] + patience }

  /// The number of threads that a trial must be able to start.
  enum Threads {
    /// A thread for each task.
    case perTask
    /// A thread for each permit of the semaphore.
    case perPermit
    /// A thread for each core.
    case perCore
  }

  /// Returns a probe that runs tasks under a lowered limit of open files, and waits for all tasks. The probe records
  /// the threads, the open files and the failures.
  ///
  /// The trial is unavailable if the hard limit is below the setting `limit`, or if there are not enough threads. The
  /// trial is also unavailable if too few descriptors are free. A trial with `perCore` threads requires a free
  /// descriptor for each queue of the pool. Other trials require half of `limit`.
  ///
  /// - Parameters:
  ///   - threads: the number of threads that the trial must be able to start.
  ///   - timesWaits: whether the tasks wait on a semaphore, and the probe records these waits.
  ///   - mustExceed: whether the trial is unavailable if there are enough free descriptors for all tasks.
  func process(threads: Threads, timesWaits: Bool = false, mustExceed: Bool = false) -> Probe<
    @Sendable (OpenFiles) -> Void
  > {
    Probe(
      reads: [limit, tasks, hold],
      records: [failedOpens, peakOpen, overHalf, peakThreads, elapsed] + (timesWaits ? [wait] : [])
    ) { trial, body in
      let (limit, tasks) = (trial[limit], trial[tasks])
      let needed =
        switch threads {
        case .perTask: tasks
        case .perPermit: limit / 2
        case .perCore: trial.cores
        }
      try ThreadCapacity().require(min(needed, tasks, ThreadPool.limit))
      warmUp()
      let limits = try DescriptorLimit.current()
      guard limit <= limits.hard else {
        throw Unavailable("a limit of \(limit) open descriptors is needed, this process may have \(limits.hard)")
      }
      try DescriptorLimit.setSoft(limit)
      defer { try? DescriptorLimit.setSoft(limits.soft) }
      let free = DescriptorLimit.free(below: limit)
      let isPool = threads == .perCore
      let mostOpen = isPool ? min(trial.cores, OpenFiles.mostQueues, tasks) : limit / 2
      guard free >= mostOpen else {
        let enough = isPool ? mostOpen + limit - free : 2 * (limit - free)
        throw Unavailable(
          "\(mostOpen) of \(limit) descriptors must be free, \(free) are: set limit to at least \(enough)")
      }
      guard !mustExceed || tasks > free else {
        throw Unavailable("no open can fail: limit \(limit) leaves descriptors for all \(tasks) tasks")
      }
      let files = OpenFiles(count: tasks, hold: trial[hold], patience: patience, cores: trial.cores)
      let time = MonotonicClock.time {
        body(files)
        files.all.wait()
      }
      if let error = files.unexpectedError { throw SystemError(error, "open \(files.path)") }
      trial.record(failedOpens, files.failed.count)
      trial.record(peakOpen, files.peakOpen)
      trial.record(overHalf, max(0, files.peakOpen - limit / 2))
      if let threads = files.peakThreads { trial.record(peakThreads, threads) }
      trial.record(elapsed, time)
      if timesWaits { trial.record(wait, files.waited) }
    }
  }

  /// Runs two blocks, so that Dispatch opens its own descriptors (three on Linux) before the limit is lowered. Dispatch
  /// traps if no descriptors are free.
  private func warmUp() {
    DispatchQueue(label: "gcdlab.warm-up").sync {}
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
  }
}

/// The files of a trial. Each task opens a file, holds it open and closes it. Meanwhile the trial samples the number of
/// open descriptors and of threads.
final class OpenFiles: Sendable {
  /// The maximum number of queues in a pool.
  static let mostQueues = 32

  /// The group of all submitted tasks.
  let all = DispatchGroup()
  /// The path of the file to open.
  let path = Host.image.path
  /// The number of cores of the trial.
  let cores: Int
  private let count: Int
  private let hold: Duration
  private let threadsBefore = ThreadCensus.count() ?? 0
  private let threads = Peak.threads()
  private let open: Peak
  private let table: OpenedDescriptors
  private let tried = Atomic<Int>(0)
  private let othersTried: BoundedGate
  private let otherError = Atomic<Int32>(0)
  private let waits = WaitableValue<[UInt64?]>([])

  init(count: Int, hold: Duration, patience: Duration, cores: Int) {
    self.cores = cores
    self.count = count
    self.hold = hold
    let table = OpenedDescriptors(above: 0)
    self.table = table
    open = Peak { table.count }
    othersTried = BoundedGate(bound: patience)
  }

  /// Calls `submit` for each task in turn, with a new task as the argument.
  func submitEach(_ submit: (FileTask) -> Void) {
    for _ in 0..<count { submit(FileTask(files: self)) }
    othersTried.startBound()
  }

  /// The number of opens that failed because no descriptor was free.
  let failed = Tally()
  /// The maximum number of files that were open at once.
  var peakOpen: Int { open.value ?? 0 }
  /// The maximum number of threads in addition to the initial threads; nil if the system does not list threads.
  var peakThreads: Int? { threads.value.map { max(0, $0 - threadsBefore) } }
  /// The error number of an open that failed for a reason other than the limit; nil if there was no such failure.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .relaxed)
    return error == 0 ? nil : error
  }

  /// The nanoseconds of each wait on the semaphore.
  var waited: [UInt64?] { waits.now }

  /// Returns a wrapper of `semaphore` that records the duration of each wait.
  func timed(_ semaphore: DispatchSemaphore) -> TimedSemaphore { TimedSemaphore(semaphore: semaphore, files: self) }

  /// A wrapper of a semaphore that records the duration of each wait.
  struct TimedSemaphore: Sendable {
    fileprivate let semaphore: DispatchSemaphore
    fileprivate let files: OpenFiles

    /// Waits on the semaphore, and records the duration of the wait.
    func wait() {
      let time = MonotonicClock.time { semaphore.wait() }
      files.waits.note { $0.append(time) }
    }

    /// Signals the semaphore.
    func signal() { semaphore.signal() }
  }

  /// A task of the trial, which opens, reads and closes a file.
  struct FileTask: Sendable {
    fileprivate let files: OpenFiles

    /// Opens the file and returns its descriptor, or -1 if the open failed.
    func open() -> Int32 {
      files.threads.sample()
      let descriptor = systemOpen(files.path)
      if descriptor >= 0 { files.opened(descriptor) } else { files.failed(errno) }
      return descriptor
    }

    /// Blocks the thread for the setting `hold` while the file is open, in place of the document's processing. Has no
    /// effect for a negative descriptor.
    func read(_ descriptor: Int32) { if descriptor >= 0 { blockThread(for: files.hold) } }

    /// Blocks the thread while the file is open, until every task has tried to open its file or a timeout expires. Has
    /// no effect for a negative descriptor.
    func readUntilOthersTried(_ descriptor: Int32) { if descriptor >= 0 { files.othersTried.pass() } }

    /// Closes the file. Has no effect for a negative descriptor.
    func close(_ descriptor: Int32) { if descriptor >= 0 { systemClose(descriptor) } }
  }

  private func opened(_ descriptor: Int32) {
    table.include(descriptor)
    open.sample()
    recordAttempt()
  }

  private func failed(_ error: Int32) {
    if error == EMFILE {
      failed.add()
    } else {
      otherError.store(error, ordering: .relaxed)
    }
    recordAttempt()
  }

  private func recordAttempt() {
    if tried.add(1, ordering: .acquiringAndReleasing).newValue == count { othersTried.open() }
  }
}

// These functions call the functions of the C library, which the methods `open` and `close` hide.
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
