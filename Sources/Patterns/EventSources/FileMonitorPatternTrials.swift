import Dispatch
import Instruments

/// The code that changes a watched file and records the changes that the variants report.
extension FileMonitorPattern {
  /// Returns the longest time that a trial takes on an idle machine: the time of twenty polls or pauses for each round
  /// of changes, the deadline of one change that is never reported, and one millisecond for each change of the burst.
  func longest(_ trial: Trial) -> Duration? {
    (trial[pollInterval] + .milliseconds(1)) * (trial[changes] + 1) * 20 + trial[deadline] + .milliseconds(1)
      * trial[burst]
  }

  /// A closure that starts to watch the file at a path, and returns a closure that stops the watch.
  typealias Begin = @Sendable (_ path: String, _ watch: FileWatch) throws -> @Sendable () -> Void

  /// The parameters of the trials that make every kind of change.
  private var changeSettings: [any Declaration] { [changes, pollInterval, burst, deadline] }

  /// The metrics of the trials that make every kind of change.
  private var changeMetrics: [any Declaration] {
    [
      latency, latencies, kinds, missed, lostAfterRename, misnamed, coalesced, wrongDescriptor, leftOpen,
      unrelatedClosed,
    ]
  }

  /// A probe that makes every kind of change to a file, and waits for the report of each change. The probe also makes a
  /// burst of writes while the handler is busy.
  var follow: Probe<Begin> {
    Probe(reads: changeSettings, records: changeMetrics) { trial, begin in _ = try makeChanges(trial, begin) }
  }

  /// A probe that makes every kind of change to a file that a variant polls, and records the times between polls.
  var followByPolling:
    Probe<@Sendable (_ path: String, _ watch: FileWatch, _ interval: Duration) throws -> @Sendable () -> Void>
  {
    Probe(reads: changeSettings, records: changeMetrics + [measuredInterval]) { trial, begin in
      let interval = trial[pollInterval]
      let pollIntervals = try makeChanges(trial) { path, watch in try begin(path, watch, interval) }
      trial.record(measuredInterval, pollIntervals)
    }
  }

  /// Makes every kind of change to a watched file, and records the reports.
  ///
  /// - Returns: the times between polls; empty for a variant that does not poll.
  private func makeChanges(_ trial: Trial, _ begin: Begin) throws -> LatencyHistogram {
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    let (changes, burst) = (trial[changes], trial[burst])
    var file = try WatchedFile(in: scratch)
    var results = ChangeResults(
      FileWatch(of: file), deadline: trial[deadline], pauses: RandomPauses(upTo: trial[pollInterval], seed: trial.seed))
    let openBefore = Self.openFiles(beside: file)
    var cancel = try begin(file.path, results.watch)
    // The first change of each kind is a warm-up and is not recorded.
    for round in -1..<changes { try makeEachKind(file, &results, records: round >= 0) }
    let coalesced = try writeWhileBusy(burst, file, &results)
    // The file does not exist after its removal, so each removal requires a new file and a new watch.
    for round in -1..<changes {
      try results.make(.delete, round >= 0) { try file.remove() }
      cancel()
      results.end()
      file = try WatchedFile(in: scratch)
      results.begin(FileWatch(of: file))
      cancel = try begin(file.path, results.watch)
    }
    results.watch.hold()
    try results.make(.write) { try file.overwrite() }
    cancel()
    // One of these files receives the descriptor's number if the descriptor is closed before the handler has ended.
    let unrelated = UnrelatedFiles()
    defer { unrelated.close() }
    results.watch.release()
    results.end()
    trial.record(self.coalesced, coalesced)
    trial.record(unrelatedClosed, unrelated.closed)
    if let openBefore, let now = Self.openFiles(beside: file) { trial.record(leftOpen, max(0, now - openBefore)) }
    record(results, trial)
    return results.pollIntervals
  }

  /// Makes a change of each kind except the removal, and waits for the report of each change.
  private func makeEachKind(_ file: WatchedFile, _ results: inout ChangeResults, records: Bool) throws {
    try results.make(.write, records) { try file.overwrite() }
    try results.make(.extend, records) { try file.append() }
    try results.make(.attrib, records) { try file.toggleMode() }
    try results.make(.link, records) { try file.addLink() }
    try results.make(.link) { try file.removeLink() }
    try results.rename(file, records)
    let isReported = try results.make(.write) { try file.overwrite() }
    if !isReported { results.lostAfterRename += 1 }
    try results.rename(file)
  }

  /// Writes `burst` times while the handler is busy, and returns the number of writes that were coalesced with another
  /// write.
  private func writeWhileBusy(_ burst: Int, _ file: WatchedFile, _ results: inout ChangeResults) throws -> Int {
    results.watch.hold()
    try results.make(.write) { try file.overwrite() }
    _ = results.watch.takeReported(.write)
    do {
      defer { results.watch.release() }
      for _ in 0..<burst { try file.overwrite() }
    }
    // Changes are reported in order. Once this change is reported, all changes of the burst have been reported.
    try results.make(.link) { try file.addLink() }
    let coalesced = max(0, burst - results.watch.takeReported(.write))
    try results.make(.link) { try file.removeLink() }
    return coalesced
  }

  private func record(_ results: ChangeResults, _ trial: Trial) {
    for (kind, durations) in results.latencies { trial.record(latencies[kind], durations) }
    trial.record(latency, results.latencies.values.joined().map(\.self))
    trial.record(kinds, results.latencies.count)
    trial.record(missed, results.missed)
    trial.record(lostAfterRename, results.lostAfterRename)
    trial.record(misnamed, results.misnamed)
    trial.record(wrongDescriptor, results.wrongDescriptors)
  }

  /// A probe that renames a file many times in a row: once while the handler is busy, and twice while the source is
  /// suspended. During the second suspension, a write follows each rename.
  var renameOften: Probe<@Sendable (_ path: String, _ watch: FileWatch) throws -> FileMonitor> {
    Probe(
      reads: [burst, deadline],
      records: [eventsWhileBusy, eventsWhileSuspended, eventsBetweenWrites, misnamed, wrongDescriptor]
    ) { trial, begin in
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let (burst, deadline) = (trial[burst], trial[deadline])
      let file = try WatchedFile(in: scratch)
      let watch = FileWatch(of: file)
      let source = try begin(file.path, watch)
      defer { source.cancel() }
      var misnamed = 0
      func notDelivered(_ change: FileChange) -> WaitTimeoutError {
        WaitTimeoutError("the \(change.rawValue) that begins or ends a burst was not delivered", within: deadline)
      }
      func reported(suspend: () -> Void = {}, resume: () -> Void, _ change: () throws -> Void) throws -> Int {
        watch.hold()
        guard try watch.latency(of: .write, within: deadline, file.overwrite) != nil else { throw notDelivered(.write) }
        do {
          suspend()
          defer { resume() }
          for _ in 0..<burst { try change() }
        }
        // Changes are reported in order. Once this change is reported, all changes of the burst have been reported.
        guard try watch.latency(of: .attrib, within: deadline, file.toggleMode) != nil else {
          throw notDelivered(.attrib)
        }
        let names = watch.takeNames()
        misnamed += names.count { $0 != file.path }
        return names.count
      }
      /// Suspends the source while its handler is held, and then releases that handler. No other handler call begins in
      /// between.
      func suspend() {
        source.suspend()
        watch.release()
      }
      let whileBusy = try reported(resume: watch.release) { try file.renameToNewName() }
      let whileSuspended = try reported(suspend: suspend, resume: source.resume) { try file.renameToNewName() }
      let betweenWrites = try reported(suspend: suspend, resume: source.resume) {
        try file.renameToNewName()
        try file.overwrite()
      }
      source.cancel()
      watch.waitForEnd(within: deadline)
      trial.record(eventsWhileBusy, whileBusy)
      trial.record(eventsWhileSuspended, whileSuspended)
      trial.record(eventsBetweenWrites, betweenWrites)
      trial.record(self.misnamed, misnamed)
      trial.record(wrongDescriptor, watch.wrongDescriptors)
    }
  }

  /// A probe that opens unrelated files and renames the watched file. One of the unrelated files receives the
  /// descriptor number that the variant has freed.
  var renameWithReusedDescriptor: Probe<Begin> {
    Probe(reads: [deadline], records: [misnamed, wrongDescriptor]) { trial, begin in
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let deadline = trial[deadline]
      let file = try WatchedFile(in: scratch)
      let watch = FileWatch(of: file)
      let cancel = try begin(file.path, watch)
      let unrelated = UnrelatedFiles()
      defer { unrelated.close() }
      _ = try watch.latency(of: .rename, within: deadline, file.rename)
      let names = watch.takeNames()
      cancel()
      watch.waitForEnd(within: deadline)
      trial.record(misnamed, names == [file.path] ? 0 : 1)
      trial.record(wrongDescriptor, watch.wrongDescriptors)
    }
  }

  /// Returns the number of open descriptors that refer to inotify or to files in the directory of `file`; nil if the
  /// system does not list descriptors.
  private static func openFiles(beside file: WatchedFile) -> Int? {
    let paths = OpenDescriptors.paths()
    return paths.isEmpty ? nil : paths.count { $0.hasPrefix(file.directory) || $0 == "anon_inode:inotify" }
  }
}

/// The latencies of the reported changes, and the numbers of errors.
private struct ChangeResults {
  private(set) var watch: FileWatch
  private(set) var latencies: [FileChange: [UInt64]] = [:]
  private(set) var missed = 0
  private(set) var misnamed = 0
  var lostAfterRename = 0
  /// The number of handler calls in which the descriptor did not refer to the watched file.
  private(set) var wrongDescriptors = 0
  /// The times from the end of one poll to the end of the next poll, in nanoseconds.
  private(set) var pollIntervals = LatencyHistogram()
  private let deadline: Duration
  private var pauses: RandomPauses

  init(_ watch: FileWatch, deadline: Duration, pauses: RandomPauses) {
    self.watch = watch
    self.deadline = deadline
    self.pauses = pauses
  }

  /// Replaces the watch after the previous watch has ended.
  mutating func begin(_ watch: FileWatch) { self.watch = watch }

  /// Makes a change after a random pause, and waits until the change is reported.
  ///
  /// - Returns: whether the change was reported within the deadline.
  @discardableResult
  mutating func make(_ kind: FileChange, _ records: Bool = false, _ change: () throws -> Void) rethrows -> Bool {
    pauses.wait()
    guard let latency = try watch.latency(of: kind, within: deadline, change) else {
      missed += 1
      return false
    }
    if records { latencies[kind, default: []].append(latency) }
    return true
  }

  /// Renames the file, and counts an error unless the rename is reported exactly once, with the file's new name.
  mutating func rename(_ file: WatchedFile, _ records: Bool = false) throws {
    _ = watch.takeNames()
    try make(.rename, records) { try file.rename() }
    if watch.takeNames() != [file.path] { misnamed += 1 }
  }

  /// Waits until the cancelled watch has ended, and adds the results of the watch to this record.
  mutating func end() {
    watch.waitForEnd(within: deadline)
    wrongDescriptors += watch.wrongDescriptors
    if let pollIntervals = watch.pollIntervals { self.pollIntervals.merge(pollIntervals) }
  }
}

/// A sequence of pauses of random length. Equal seeds produce equal pauses.
private struct RandomPauses {
  private let longest: Int
  private var generator: SplitMix64

  init(upTo longest: Duration, seed: UInt64) {
    self.longest = Int(longest.nanoseconds)
    generator = SplitMix64(seed: seed)
  }

  mutating func wait() {
    if longest > 0 { blockThread(for: .nanoseconds(Int.random(in: 0...longest, using: &generator))) }
  }
}
