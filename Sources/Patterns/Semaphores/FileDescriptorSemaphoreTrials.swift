import Dispatch
import Instruments
import Synchronization

/// The code that runs the trials, and the findings for each number of tasks.
extension FileDescriptorSemaphore: FindingPattern, SaturatingPattern {
  /// Returns, for each number of tasks, a finding that states how many open files the semaphore admits, and the limit
  /// from which the semaphore blocks no task. In a comparison, the finding is part of the answer. Otherwise, the
  /// finding is omitted if every run has a lower limit.
  func findings(in results: Results) -> [RunNote] {
    func value(_ parameter: ParameterKey<Int>, of run: VariantRun) -> Int { parameter.value(in: run.parameters) ?? 0 }
    let isComparison = results.experiment.isComparison
    let permitNotes =
      isComparison
      ? [failsEverywhere(results.runs), turns(results.runs), otherDescriptors(results.runs)].compactMap(\.self) : []
    return permitNotes
      + results.runs.filter {
        (!isComparison || !$0.figures(elapsed.metric).isEmpty) && $0.variant.name.hasPrefix("semaphore")
      }.grouped { value(tasks, of: $0) }
      .compactMap { tasks, runs in
        let open = runs.filter { value(limit, of: $0) / 2 >= mostOpen(tasks) }
        let free = "from limit \(2 * mostOpen(tasks)) on, \(whyFree(tasks))"
        guard isComparison else {
          return open.isEmpty
            ? nil
            : RunNote("never-waits", "the semaphore admits limit / 2 open files; \(free)", runs: open.map(\.label))
        }
        let files = Set(runs.map { value(limit, of: $0) }).sorted().map { limit in
          "\(min(limit / 2, mostOpen(tasks)))\(limit / 2 > mostOpen(tasks) ? " (at most)" : "") at limit \(limit)"
        }
        return RunNote(
          Conclusion.advice,
          "The semaphore admits limit / 2 open files: \(files.joined(separator: ", ")); \(free). "
            + "A task sleeps while its file is open (hold).",
          runs: runs.map(\.label))
      }
  }

  /// Returns a note that opens failed at every setting, which precedes the fastest settings; nil if any run has no
  /// failed open, or no figure.
  private func failsEverywhere(_ runs: [VariantRun]) -> RunNote? {
    let areFailing = runs.allSatisfy { run in
      let figures = run.figures(failedOpens.metric)
      return !figures.isEmpty && figures.allSatisfy { $0.value > 0 }
    }
    guard areFailing, !runs.isEmpty else { return nil }
    return RunNote(
      Conclusion.answer,
      "Opens failed at every setting, so none of these is safe, and the best is only the fastest: try fewer permits.",
      runs: runs.map(\.label))
  }

  /// Returns a note on the turns in which the tasks of `permits-at-submit` open their files, since more permits gain
  /// little unless they save a turn: `90 tasks take turns: 3 with permits 32 to 44, 2 with permits 48 to 56.` Nil if
  /// several numbers of permits have not been tried, or if they save no turn. Settings at which opens fail do not
  /// count: a task whose open fails takes no turn.
  private func turns(_ runs: [VariantRun]) -> RunNote? {
    let swept = runs.filter { run in
      run.point[permits.name] != nil && !run.figures(elapsed.metric).isEmpty
        && run.figures(failedOpens.metric).allSatisfy { $0.value == 0 }
    }
    let counts = Set(swept.compactMap { tasks.value(in: $0.parameters) })
    guard counts.count == 1, let count = counts.first else { return nil }
    let all = Set(swept.compactMap { permits.value(in: $0.parameters) }).sorted()
    let turns = all.grouped { ($0 + count - 1) / $0 }.map { turns, permits in
      let last = permits.count > 1 ? " to \(permits[permits.count - 1])" : ""
      return "\(turns.withCommas) with permits \(permits[0].withCommas)\(last)"
    }
    guard turns.count > 1 else { return nil }
    return RunNote(
      Conclusion.advice,
      "\(count.counted("task")) take turns: \(turns.joined(separator: ", ")). More permits gain little unless they save a "
        + "turn, and with more tasks a turn matters less.", runs: swept.map(\.label))
  }

  /// Returns a note on the descriptors that the rest of the process has open, which the failed opens show: `When opens
  /// failed, the tasks had no more than 57 files open: the rest of this process uses the other 7 …`. Nil if no open
  /// failed, or if the runs have several limits.
  private func otherDescriptors(_ runs: [VariantRun]) -> RunNote? {
    func failingRounds(_ run: VariantRun) -> Set<Int> {
      Set(run.figures(failedOpens.metric).filter { $0.value > 0 }.map(\.round))
    }
    let failing = runs.filter { !failingRounds($0).isEmpty }
    let limits = Set(failing.compactMap { limit.value(in: $0.parameters) })
    // Only an open that fails shows that no descriptor was left.
    let peaks = failing.flatMap { run in
      run.figures(peakOpen.metric).filter { failingRounds(run).contains($0.round) }.map(\.value)
    }
    guard limits.count == 1, let limit = limits.first, let most = peaks.min(), Int(most) < limit else { return nil }
    return RunNote(
      Conclusion.limit,
      "When opens failed, the tasks had \(Int(most)) files open, so \(Int(most)) is the limit here: the rest of this process "
        + "uses \(limit - Int(most)) of its \(limit) descriptors, and the rest of yours may use more.",
      runs: failing.map(\.label))
  }

  /// Returns the smallest limit on open descriptors, or the smallest number of permits, at which the semaphore blocks
  /// no task, and the reason. Returns nil for a parameter other than `limit` and `permits`, or if the number of tasks
  /// is not among `parameters`.
  func saturation(of parameter: String, with parameters: [String: ParameterValue]) -> (from: Int, reason: String)? {
    guard let tasks = tasks.value(in: parameters), [limit.name, permits.name].contains(parameter) else { return nil }
    let from = mostOpen(tasks) * (parameter == limit.name ? 2 : 1)
    return (from, "from \(from) on, \(whyFree(tasks))")
  }

  /// Returns the maximum number of files that `tasks` tasks can have open at the same time, with any limit. Each task
  /// blocks a thread of the pool while its file is open.
  private func mostOpen(_ tasks: Int) -> Int { min(tasks, ThreadPool.limit) }

  /// Returns the reason why raising the limit of open descriptors has no effect once the semaphore admits as many open
  /// files as ``mostOpen(_:)`` returns.
  private func whyFree(_ tasks: Int) -> String {
    tasks > ThreadPool.limit
      ? "not the semaphore but the \(ThreadPool.limit) threads of the pool limit the open files"
      : "the semaphore blocks none of \(tasks) tasks"
  }

  /// Returns an upper bound for the duration of a trial: the time that all tasks need if they run one after the other,
  /// plus ``patience``.
  func longest(_ trial: Trial) -> Duration? { trial[hold] * trial[tasks] + patience }

  /// The number of threads that a trial must be able to start. The number of tasks and the size of the thread pool
  /// limit this number.
  enum Threads {
    /// One thread for each task.
    case perTask
    /// One thread for each permit of a semaphore that begins with half of `limit`.
    case perPermit
    /// One thread for each permit of a semaphore that begins with the setting `permits`.
    case perSetPermit
    /// One thread for each core.
    case perCore
  }

  /// Returns a probe that sets the limit of open files to the setting `limit`, runs tasks, and waits for all tasks. The
  /// probe records the numbers of threads, open files and failed opens, and the elapsed time.
  ///
  /// The trial is unavailable if the hard limit is below the setting `limit`, if there are not enough threads, or if
  /// too few descriptors are free. A trial with `perCore` threads requires one free descriptor for each queue of the
  /// pool, or for each task if there are fewer tasks. A trial with `perSetPermit` threads requires none, since opens
  /// may fail. In other trials, half of the `limit` descriptors must be free.
  ///
  /// - Parameters:
  ///   - threads: the number of threads that the trial must be able to start.
  ///   - timesWaits: whether to record how long the body waits on its semaphore.
  ///   - mustExceed: whether the trial is unavailable if enough descriptors are free for all tasks at the same time.
  func process(threads: Threads, timesWaits: Bool = false, mustExceed: Bool = false) -> Probe<
    @Sendable (OpenFiles) -> Void
  > {
    Probe(
      reads: [limit, tasks, hold] + (threads == .perSetPermit ? [permits] : []),
      records: [failedOpens, peakOpen, overHalf, peakThreads, elapsed] + (timesWaits ? [wait] : [])
    ) { trial, body in
      let (limit, tasks) = (trial[limit], trial[tasks])
      let needed =
        switch threads {
        case .perTask: tasks
        case .perPermit: limit / 2
        case .perSetPermit: trial[permits]
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
      // A program grows its descriptor table once, and a trial is a new process. If the table grew while the trial is
      // timed, a higher limit would look slower.
      DescriptorLimit.growTable(to: limit)
      let free = DescriptorLimit.free(below: limit)
      let isPool = threads == .perCore
      let mostOpen =
        switch threads {
        case .perTask, .perPermit: limit / 2
        case .perSetPermit: 0
        case .perCore: min(trial.cores, OpenFiles.mostQueues, tasks)
        }
      guard free >= mostOpen else {
        let enough = isPool ? mostOpen + limit - free : 2 * (limit - free)
        throw Unavailable(
          "\(mostOpen) of \(limit) descriptors must be free, \(free) are: set limit to at least \(enough)")
      }
      guard !mustExceed || tasks > free else {
        throw Unavailable("no open can fail: limit \(limit) leaves descriptors for all \(tasks) tasks")
      }
      let files = OpenFiles(
        count: tasks, permits: threads == .perSetPermit ? trial[permits] : limit / 2, hold: trial[hold],
        patience: patience, cores: trial.cores)
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

  /// Runs two blocks, so that Dispatch opens its own descriptors (three on Linux) before the trial sets the limit.
  /// Dispatch traps if no descriptors are free.
  private func warmUp() {
    DispatchQueue(label: "gcdlab.warm-up").sync {}
    let warm = DispatchGroup()
    DispatchQueue.global().async(group: warm) {}
    warm.wait()
  }
}

/// The files of a trial. Each task opens a file, holds it open and closes it. Meanwhile the trial samples the numbers
/// of open files and of threads.
final class OpenFiles: Sendable {
  /// The maximum number of queues in the variant `queue-pool`.
  static let mostQueues = 32

  /// The group of all submitted tasks.
  let all = DispatchGroup()
  /// The path of the file to open.
  let path = Host.executable.path
  /// The number of cores that the trial may use.
  let cores: Int
  /// The initial value of the semaphore.
  let permits: Int
  private let count: Int
  private let hold: Duration
  private let threadsBefore = ThreadCensus.count() ?? 0
  private let threads = Peak.threads()
  private let open: Peak
  private let table: OpenedDescriptors
  private let tried = Atomic<Int>(0)
  private let othersTried: TimedGate
  private let otherError = Atomic<Int32>(0)
  private let waits = WaitableValue<[UInt64?]>([])

  init(count: Int, permits: Int, hold: Duration, patience: Duration, cores: Int) {
    self.cores = cores
    self.permits = permits
    self.count = count
    self.hold = hold
    let table = OpenedDescriptors(above: 0)
    self.table = table
    open = Peak { table.count }
    othersTried = TimedGate(limit: patience)
  }

  /// Calls `submit` with each task in turn. Then starts the time limit for files that are held open until all tasks
  /// have tried to open their files.
  func submitEach(_ submit: (FileTask) -> Void) {
    for _ in 0..<count { submit(FileTask(files: self)) }
    othersTried.startTimeLimit()
  }

  /// The number of opens that failed because no descriptor was free.
  let failed = Tally()
  /// The maximum number of files that the tasks had open at the same time.
  var peakOpen: Int { open.value ?? 0 }
  /// The maximum number of threads in addition to the threads that existed before the first task; nil if the system
  /// does not list threads.
  var peakThreads: Int? { threads.value.map { max(0, $0 - threadsBefore) } }
  /// The error number of an open that failed for a reason other than the limit; nil if there was no such failure.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .relaxed)
    return error == 0 ? nil : error
  }

  /// The durations of the waits on the semaphore, in nanoseconds.
  var waited: [UInt64?] { waits.now }

  /// Wraps `semaphore`, in order to record the duration of each wait.
  func timed(_ semaphore: DispatchSemaphore) -> TimedSemaphore { TimedSemaphore(semaphore: semaphore, files: self) }

  /// A semaphore wrapper that records the duration of each wait.
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

  /// A task that opens a file, holds it open and closes it.
  struct FileTask: Sendable {
    fileprivate let files: OpenFiles

    /// Opens the file, and returns its descriptor; returns -1 if the open failed.
    func open() -> Int32 {
      files.threads.sample()
      let descriptor = systemOpen(files.path)
      if descriptor >= 0 { files.opened(descriptor) } else { files.failed(errno) }
      return descriptor
    }

    /// Blocks the thread for the duration `hold`, as a read from a slow file does. Has no effect for a negative
    /// descriptor.
    func read(_ descriptor: Int32) { if descriptor >= 0 { blockThread(for: files.hold) } }

    /// Blocks the thread while the file is open, until every task has tried to open its file or a time limit has
    /// passed. Has no effect for a negative descriptor.
    func readUntilOthersTried(_ descriptor: Int32) { if descriptor >= 0 { files.othersTried.wait() } }

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

// In the types above, the methods `open` and `close` hide the C functions of the same names.
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
