import Dispatch
import Instruments
import Synchronization

/// The measuring: tasks open files under a lowered limit.
extension FileDescriptorSemaphore {
  /// All tasks one after the other, and the longest wait for others to try.
  func longest(_ trial: Trial) -> Duration? { trial[hold] * trial[tasks] + patience }

  /// Runs `body` with a lowered limit of open files, waits for all its tasks, and records the threads, open files and
  /// failures.
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
  private let table: OpenedHere
  private let tried = Atomic<Int>(0)
  private let othersTried: BoundedGate
  private let failures = Atomic<Int>(0)
  private let otherError = Atomic<Int32>(0)
  private let waits = Noted<[UInt64?]>([])

  init(count: Int, hold: Duration, patience: Duration) {
    self.count = count
    self.hold = hold
    let table = OpenedHere(above: 0)
    self.table = table
    open = Peak { table.count }
    othersTried = BoundedGate(bound: patience)
  }

  /// Calls `submit` for each task in turn.
  func submitEach(_ submit: (FileTask) -> Void) {
    for _ in 0..<count { submit(FileTask(files: self)) }
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
  func recordWaits(_ trial: Trial, _ wait: Measure<Duration>) { trial.record(wait, waits.now) }

  /// Wraps a semaphore so that the waits of the tasks are timed.
  func timed(_ semaphore: DispatchSemaphore) -> TimedSemaphore { TimedSemaphore(semaphore: semaphore, files: self) }

  /// A semaphore whose waits are timed.
  struct TimedSemaphore: Sendable {
    fileprivate let semaphore: DispatchSemaphore
    fileprivate let files: OpenFiles

    /// Waits on the semaphore, and notes for how long.
    func wait() {
      let time = MonotonicClock.time { semaphore.wait() }
      files.waits.note { $0.append(time) }
    }

    /// Signals the semaphore.
    func signal() { semaphore.signal() }
  }

  /// One task.
  struct FileTask: Sendable {
    fileprivate let files: OpenFiles

    /// Opens the file; -1 when no descriptor is left, as the system call.
    func open() -> Int32 {
      files.threads.sample()
      let descriptor = systemOpen(files.path)
      if descriptor >= 0 { files.opened(descriptor) } else { files.failed(errno) }
      return descriptor
    }

    /// Keeps the file open for a while, blocking the thread: the document's processing.
    func read(_ descriptor: Int32) { if descriptor >= 0 { blockThread(for: files.hold) } }

    /// Keeps the file open, blocking the thread, until every task has tried to open its file, or the wait for them is
    /// over.
    func readUntilOthersTried(_ descriptor: Int32) { if descriptor >= 0 { files.othersTried.pass() } }

    /// Closes the file.
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

// The methods of the same name hide them.
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
