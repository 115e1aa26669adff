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

/// How soon does a program learn that a file changed?
///
/// The document opens a file for events only, makes a dispatch source of it and hears of writes, renames and removals as
/// they happen. What it replaces is a loop that looks at the file every few milliseconds.
///
/// Here a real file in a directory of its own is changed in six ways, one change at a time, each awaited before the
/// next: a write inside it, one that extends it, a change of its mode, a new and a removed link, a rename, and the
/// removal of its last name. A latency runs from just before the system call that makes the change until the source's
/// handler begins (for polling: until the loop has looked). Last comes a burst of writes while the handler is still busy
/// with the one before, to see how many of them arrive as one.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Monitoring a File-System Object".
public struct FileMonitorPattern: Pattern {
  enum Way: String, CaseIterable {
    case source, polling
  }

  /// The pattern, with nothing to configure.
  public init() {}

  /// `file-monitor`.
  public let name = "file-monitor"

  /// How many changes of each kind, and how often polling looks.
  public let parameters: [Parameter] = [
    .count("changes", 1...100_000, default: 30, "changes of each kind in a trial"),
    .duration(
      "poll-interval", 100_000...10_000_000_000, default: 10_000_000, "polling: how long it sleeps between two looks"),
    .count("burst", 1...10_000, default: 100, "writes in a row while the handler is busy"),
    .duration(
      "deadline", 1_000_000...600_000_000_000, default: 10_000_000_000,
      "a change not reported for this long counts as missed"),
  ]

  /// The source, and the loop it replaces.
  public let variants: [Variant] = [
    Variant(
      "source", .documented, ignores: ["poll-interval"],
      "a dispatch source: vnode on Darwin, inotify read through a read source on Linux"),
    Variant("polling", .yardstick, "a thread that looks at the file's status every poll-interval"),
  ]

  /// How late each kind of change was noticed, and what was not.
  public let metrics: [Metric] =
    [Metric("latency", .latency, .nanoseconds, "from just before a change until it was noticed, all kinds together")]
    + FileChange.allCases.map {
      Metric($0.rawValue + "-latency", .latency, .nanoseconds, "the same for changes of kind " + $0.rawValue)
    }
    + [
      Metric("kinds", .count, .none, "kinds of change that were reported, of \(FileChange.allCases.count)"),
      Metric("missed", .count, .none, "changes that were not reported before the deadline"),
      Metric("lost-after-rename", .count, .none, "writes right after a rename that were not reported"),
      Metric("coalesced", .count, .none, "writes of the burst that arrived together with another"),
    ]

  /// Runs one variant.
  public func run(_ trial: Trial) throws -> Observation {
    guard let way = Way(rawValue: trial.variant) else { throw TrialFailure("unknown variant \(trial.variant)") }
    let interval = UInt64(trial.integer("poll-interval"))
    return try measure(trial) { path, handler in
      switch way {
      case .source: try FileMonitor(path: path, handler: handler)
      case .polling: try PollingMonitor(path: path, interval: interval, handler: handler)
      }
    }
  }

  /// Makes the changes under a monitor. (Separate, so that a test can hand in one that is deaf to a kind.)
  func measure(
    _ trial: Trial,
    _ watch: (String, @escaping @Sendable (FileChange, UInt64) -> Void) throws -> any FileMonitoring
  ) throws -> Observation {
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    var tally = ChangeTally(deadline: trial.integer("deadline"))
    let file = try WatchedFile(in: scratch)
    defer { file.close() }
    var monitor = try watch(file.path, tally.inbox.receive)
    // The first event of each kind warms up the path and is not recorded.
    for round in -1..<trial.integer("changes") {
      let records = round >= 0
      try tally.make(.write, records) { try file.overwrite() }
      try tally.make(.extend, records) { try file.append() }
      try tally.make(.attrib, records) { try file.toggleMode() }
      try tally.make(.link, records) { try file.addLink() }
      try tally.make(.link, false) { try file.removeLink() }
      try tally.make(.rename, records) { try file.rename() }
      if try !tally.make(.write, false, { try file.overwrite() }) { tally.lostAfterRename += 1 }
      try tally.make(.rename, false) { try file.rename() }
    }
    tally.inbox.hold()
    try tally.make(.write, false) { try file.overwrite() }
    let writes = try tally.inbox.count(of: .write) {
      defer { tally.inbox.release() }
      for _ in 0..<trial.integer("burst") { try file.overwrite() }
    } until: {
      // Polling tells of one change a look, and of a rename before others: the end of the burst must not be hidden.
      try tally.make(.rename, false) { try file.rename() }
    }
    // The removal ends a file's life, so each needs a file and a monitor of its own.
    for round in -1..<trial.integer("changes") {
      try tally.make(.delete, round >= 0) { try file.remove() }
      monitor.cancel()
      try file.create()
      monitor = try watch(file.path, tally.inbox.receive)
    }
    monitor.cancel()
    var observation = tally.observation
    observation.record("coalesced", max(0, trial.integer("burst") - writes))
    return observation
  }
}

/// What changes were noticed and how late.
private struct ChangeTally {
  let inbox = ChangeInbox()
  var lostAfterRename = 0
  private let deadline: Int
  private var latencies: [FileChange: LatencyHistogram] = [:]
  private var missed = 0

  init(deadline: Int) { self.deadline = deadline }

  /// Makes a change, waits until it is reported, and notes how late that was. One that cannot be made is not awaited.
  @discardableResult
  mutating func make(_ kind: FileChange, _ records: Bool, _ change: () throws -> Void) rethrows -> Bool {
    inbox.expect(kind)
    let start = MonotonicClock.now()
    try change()
    guard let noticed = inbox.wait(nanoseconds: deadline) else {
      missed += 1
      return false
    }
    if records { latencies[kind, default: LatencyHistogram()].record(noticed > start ? noticed - start : 0) }
    return true
  }

  var observation: Observation {
    var observation = Observation()
    var all = LatencyHistogram()
    for (kind, latencies) in latencies {
      observation.record(kind.rawValue + "-latency", latencies)
      all.merge(latencies)
    }
    observation.record("latency", all)
    observation.record("kinds", latencies.count)
    observation.record("missed", missed)
    observation.record("lost-after-rename", lostAfterRename)
    return observation
  }
}

/// Where a monitor's reports arrive: it hands over the one that is waited for and counts the others.
private final class ChangeInbox: Sendable {
  private struct State {
    var expected: FileChange?
    var time: UInt64?
    var counts: [FileChange: Int] = [:]
    var holds = false
  }
  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  @Sendable func receive(_ kind: FileChange, at time: UInt64) {
    let (isExpected, isHeld) = state.withLock { state in
      state.counts[kind, default: 0] += 1
      guard state.expected == kind else { return (false, false) }
      state.expected = nil
      state.time = time
      defer { state.holds = false }
      return (true, state.holds)
    }
    if isExpected { arrived.signal() }
    if isHeld { released.wait() }
  }

  /// Makes the handler busy: the next report that is waited for returns to its monitor only after ``release()``. Events
  /// coalesce for sure only while nobody takes them: on a loaded machine the handler may well wake up between any two
  /// writes.
  func hold() { state.withLock { $0.holds = true } }

  /// Ends what ``hold()`` began, whether a report came or not.
  func release() {
    let isHeld = state.withLock { state in
      defer { state.holds = false }
      return !state.holds
    }
    if isHeld { released.signal() }
  }

  func expect(_ kind: FileChange) {
    state.withLock {
      $0.expected = kind
      $0.time = nil
    }
  }

  /// When the expected change was noticed; nil when it was not within `nanoseconds`.
  func wait(nanoseconds: Int) -> UInt64? {
    if arrived.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success { return state.withLock { $0.time } }
    let cameAfterAll = state.withLock { state in
      defer { state.expected = nil }
      return state.expected == nil
    }
    // Its signal is under way; take it, or it would count for the next change.
    if cameAfterAll { arrived.wait() }
    return cameAfterAll ? state.withLock { $0.time } : nil
  }

  /// How many reports of `kind` came between `changes` and the end of `end`, which waits for a later change.
  func count(of kind: FileChange, _ changes: () throws -> Void, until end: () throws -> Void) rethrows -> Int {
    state.withLock { $0.counts = [:] }
    try changes()
    try end()
    return state.withLock { $0.counts[kind, default: 0] }
  }
}
