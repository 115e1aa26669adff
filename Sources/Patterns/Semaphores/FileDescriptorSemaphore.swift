import Dispatch
import Instruments
import Synchronization

/// Opening more files at once than the process may.
///
/// A process has a limited number of descriptors, and nothing in Dispatch knows of it. The document's cure is a semaphore that
/// starts at half of them:
///
/// ```c
/// dispatch_semaphore_t fd_sema = dispatch_semaphore_create(getdtablesize() / 2);
/// dispatch_semaphore_wait(fd_sema, DISPATCH_TIME_FOREVER);
/// fd = open("/etc/services", O_RDONLY);
/// close(fd);
/// dispatch_semaphore_signal(fd_sema);
/// ```
///
/// Everything here is real: the trial lowers the soft limit of its process (`RLIMIT_NOFILE`), and the tasks open a file that
/// surely exists, the lab's own binary, since `/etc/services` may not. They hold it open, blocked, which stands for the
/// processing of the file.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Using Dispatch Semaphores to Regulate the Use of Finite Resources".
struct FileDescriptorSemaphore: Pattern {
  static let name = "fd-semaphore"

  let limit = Setting.count(
    "limit", 16...65_536, default: 64, "descriptors that the process may have open (soft RLIMIT_NOFILE)")
  let tasks = Setting.count("tasks", 1...10_000, default: 100, "tasks, each of which opens one file")
  let hold = Setting.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(4), "how long a task keeps its file open")

  let failedOpens = Metric.count("failed-opens", "opens that failed because no descriptor was left (EMFILE)")
  let peakOpen = Metric.count(
    "peak-open", "peak number of files that the tasks had open at once, read from the system's table after each open")
  let overHalf = Metric.count("over-half", "files by which that peak exceeds half the descriptors; 0 when it does not")
  let peakThreads = Metric.count(
    "peak-threads", unless: "the system does not list threads",
    "peak number of threads beyond those before the first task, sampled by each task")
  let wait = Metric.latency("wait", "how long a task, or its submitter, waited for the semaphore")
  let elapsed = Metric.latency("elapsed", "from the first submission to the end of the last task, failed or not")

  /// How long a file is kept open, at most, for others to try: a pool of 255 threads may not let all of them.
  var patience = Duration.seconds(20)

  var problem: [any Declaration] { [tasks] }

  var variants: [Variant] {
    Variant("unlimited", .broken, "a private serial queue for each task, no limit") { trial in
      try process(trial, threads: trial[tasks]) { files in
        files.submitEach { task in
          DispatchQueue(label: "file").async(group: files.all) {
            let file = task.open()
            // Whether opens fail must not hang on how soon the threads come.
            task.readUntilOthersTried(file)
            task.close(file)
          }
        }
      }
    }
    Variant("unlimited-global", .broken, "the global queue, whose pool adds threads slowly; no limit") { trial in
      try process(trial, threads: trial[tasks]) { files in
        files.submitEach { task in
          DispatchQueue.global().async(group: files.all) {
            let file = task.open()
            task.read(file)
            task.close(file)
          }
        }
      }
    }
    Variant(
      "semaphore", .documented, "private serial queues; each task waits for a semaphore of getdtablesize()/2",
      own: [wait]
    ) { trial in
      try process(trial, threads: trial[tasks]) { files in
        let fdSema = DispatchSemaphore(value: Int(getdtablesize() / 2))
        files.submitEach { task in
          DispatchQueue(label: "file").async(group: files.all) {
            task.wait(for: fdSema)
            let file = task.open()
            task.read(file)
            task.close(file)
            fdSema.signal()
          }
        }
      }
      .recordWaits(trial, wait)
    }
    Variant(
      "semaphore-at-submit", .documented,
      "private serial queues; the submitter waits for that semaphore before it submits a task", own: [wait]
    ) {
      trial in
      try process(trial, threads: trial[limit] / 2) { files in
        let fdSema = DispatchSemaphore(value: Int(getdtablesize() / 2))
        files.submitEach { task in
          task.wait(for: fdSema)
          DispatchQueue(label: "file").async(group: files.all) {
            let file = task.open()
            task.read(file)
            task.close(file)
            fdSema.signal()
          }
        }
      }
      .recordWaits(trial, wait)
    }
    Variant("queue-pool", .documented, "tasks distributed over as many serial queues as cores, at most 32") { trial in
      try process(trial, threads: trial.cores) { files in
        let queues = (0..<min(trial.cores, 32)).map { DispatchQueue(label: "pool.\($0)") }
        let turns = RoundRobin(count: queues.count)
        files.submitEach { task in
          queues[turns.next()].async(group: files.all) {
            let file = task.open()
            task.read(file)
            task.close(file)
          }
        }
      }
    }
  }

  /// All tasks one after the other, and the longest wait for others to try.
  func longest(_ trial: Trial) -> Duration? { trial[hold] * trial[tasks] + patience }

  /// Runs `body` under the lowered limit, waits for all that it submitted, and records what the system saw of it.
  ///
  /// - Throws: ``Unavailable`` when the hard limit is below `limit`, when so many descriptors are open already that the
  ///   semaphore's half is not free, or when there are not so many threads to be had.
  @discardableResult
  func process(_ trial: Trial, threads: Int, _ body: (OpenFiles) -> Void) throws -> OpenFiles {
    let (limit, tasks) = (trial[limit], trial[tasks])
    let most = min(threads, tasks, ThreadPool.limit)
    try ThreadRoom().require(most)
    warmUp()
    let limits = try DescriptorLimit.current()
    guard limit <= limits.hard else {
      throw Unavailable("a limit of \(limit) open descriptors is needed, this process may have \(limits.hard)")
    }
    try DescriptorLimit.setSoft(limit)
    defer { try? DescriptorLimit.setSoft(limits.soft) }
    let free = DescriptorLimit.free(below: limit)
    guard free >= limit / 2 else {
      throw Unavailable(
        "\(limit / 2) of \(limit) descriptors must be free, \(free) are: set limit to at least \(2 * (limit - free))")
    }
    let files = OpenFiles(count: tasks, hold: trial[hold], patience: patience)
    let time = MonotonicClock.time {
      body(files)
      files.all.wait()
    }
    if let error = files.unexpectedError { throw SystemError(error, "open \(files.path)") }
    trial.record(failedOpens, files.failed)
    trial.record(peakOpen, files.peakOpen)
    trial.record(overHalf, max(0, files.peakOpen - limit / 2))
    if let threads = files.peakThreads { trial.record(peakThreads, threads) }
    trial.record(elapsed, time)
    return files
  }

  /// Dispatch opens descriptors of its own with the first block (three here), and traps without room for them.
  private func warmUp() {
    DispatchQueue(label: "gcdlab.warm-up").sync {}
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
  }
}

/// The files of a trial: each task opens one, holds it and closes it, and looks at what the system lists meanwhile.
final class OpenFiles: Sendable {
  /// The group of all submitted tasks.
  let all = DispatchGroup()
  /// What is opened.
  let path = Host.executablePath
  private let count: Int
  private let hold: Duration
  private let threadsBefore = ThreadCensus.count() ?? 0
  private let threads = Peak.threads()
  private let open: Peak
  private let table: OpenTable
  private let tried = Atomic<Int>(0)
  private let othersTried: BoundedGate
  private let failures = Atomic<Int>(0)
  private let otherError = Atomic<Int32>(0)
  private let waits: Slots<UInt64?>

  init(count: Int, hold: Duration, patience: Duration) {
    self.count = count
    self.hold = hold
    waits = Slots(count: count, of: nil)
    let table = OpenTable(of: path)
    self.table = table
    open = Peak { table.count() }
    othersTried = BoundedGate(bound: patience)
  }

  /// Calls `submit` for each task in turn.
  func submitEach(_ submit: (FileTask) -> Void) {
    for index in 0..<count { submit(FileTask(files: self, index: index)) }
    othersTried.restHasFinished()
  }

  /// How many opens failed for want of descriptors.
  var failed: Int { failures.load(ordering: .relaxed) }
  /// The most files that the tasks had open at once.
  var peakOpen: Int { open.value ?? 0 }
  /// The most threads that came up; nil where the system does not list them.
  var peakThreads: Int? { threads.value.map { max(0, $0 - threadsBefore) } }
  /// A failure to open that has nothing to do with the limit.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .relaxed)
    return error == 0 ? nil : error
  }

  /// Records how long each task waited for the semaphore.
  func recordWaits(_ trial: Trial, _ wait: Measure<Duration>) { trial.record(wait, waits.histogram) }

  /// One task.
  struct FileTask: Sendable {
    fileprivate let files: OpenFiles
    fileprivate let index: Int

    /// Waits for the semaphore.
    func wait(for fdSema: DispatchSemaphore) {
      files.waits.time(index) { fdSema.wait() }
    }

    /// Opens the file; -1 when no descriptor is left, as the system call.
    func open() -> Int32 {
      files.threads.sample()
      let descriptor = systemOpen(files.path)
      if descriptor >= 0 { files.opened(descriptor) } else { files.failed(errno) }
      return descriptor
    }

    /// Blocks the calling thread while the file is open: the document's processing.
    func read(_ descriptor: Int32) { if descriptor >= 0 { blockThread(for: files.hold) } }

    /// The same, but for as long as it takes until every task has tried to open its file, or the patience is over.
    func readUntilOthersTried(_ descriptor: Int32) { if descriptor >= 0 { files.othersTried.pass() } }

    /// Closes what was opened.
    func close(_ descriptor: Int32) { if descriptor >= 0 { systemClose(descriptor) } }
  }

  private func opened(_ descriptor: Int32) {
    table.include(descriptor)
    open.sample()
    hasTried()
  }

  private func failed(_ error: Int32) {
    if error == EMFILE {
      failures.add(1, ordering: .relaxed)
    } else {
      otherError.store(error, ordering: .relaxed)
    }
    hasTried()
  }

  private func hasTried() {
    if tried.add(1, ordering: .acquiringAndReleasing).newValue == count { othersTried.open() }
  }
}

/// The descriptors of one file, by the system's table: Dispatch opens and closes descriptors of its own at any time, which are
/// not the tasks'.
private final class OpenTable: Sendable {
  private let file: (device: dev_t, inode: ino_t)
  /// The lowest free number is given out first, so no descriptor of the tasks has a higher one than was ever seen.
  private let highest = Atomic<Int32>(0)

  init(of path: String) {
    var status = stat()
    _ = stat(path, &status)
    file = (status.st_dev, status.st_ino)
  }

  func include(_ descriptor: Int32) { highest.max(descriptor, ordering: .acquiringAndReleasing) }

  func count() -> Int {
    (0...highest.load(ordering: .acquiring)).count { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_ino == file.inode && status.st_dev == file.device
    }
  }
}

// The methods of the same name hide them.
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
