/// A variant of a pattern, with its body.
public struct Variant: Sendable {
  /// The origin of a variant.
  public enum Role: String, Sendable, Hashable {
    /// A source document has the variant, or the variant is the plain use of the same API.
    case documented
    /// A mistake, of which a source document may warn: its failure is the lesson.
    case broken
    /// The present alternative: Swift concurrency, `Mutex`.
    case modern
    /// The variant is only a yardstick for comparison.
    case yardstick
  }
  /// The name, as scenario files and checks write it.
  public let name: String
  /// The origin of the variant.
  public let role: Role
  /// A description of the variant in one sentence.
  public let summary: String
  /// The expected end of the trials.
  public let ending: Ending
  /// The requirements of the variant on the machine, in addition to those of its pattern.
  public let needs: [Requirement]
  /// The code that serves the main queue during its trials.
  public let mainQueue: MainQueueService
  /// The place in the pattern's source: the line of the name.
  public let place: SourceLine
  /// The names of types and functions in the sources that belong to the variant's code, and are shown after its body.
  public let shows: [String]
  /// What the trials use; nil if they use all declarations of the pattern.
  let use: ProbeUse?
  private(set) var body: @Sendable (Trial) throws -> Void

  /// The parameters that do not affect this variant. A sweep over them runs the variant only once, and a trial must not
  /// read them. They are known once the pattern is described (``PatternDescription``).
  public internal(set) var ignores: Set<String> = []
  /// The metrics that each completed trial must have. They are known once the pattern is described.
  public internal(set) var promises: [Metric] = []

  /// Creates a variant that `probe` measures.
  ///
  /// - Parameters:
  ///   - probe: what a trial reads and records, and the code around the body.
  ///   - ends: how a trial is expected to end, if not by completing. Any other end is then the finding, and a trial
  ///     records nothing.
  ///   - needs: what the variant requires of the machine. If the machine does not have it, the variant is unavailable
  ///     and does not run.
  ///   - mainQueue: what serves the main queue.
  ///   - shows: the types and functions that the body uses, and that `explain --code` shows after it.
  ///   - body: what the variant does. The lab calls the probe with it in a fresh worker process, on a thread of its own
  ///     outside the dispatch pool, while the main queue is served as `mainQueue` says. Warm-up belongs into a trial
  ///     and is never recorded. An error breaks the trial, with two exceptions that make it unavailable:
  ///     ``Unavailable``, and a `SystemError` about something that the machine lacks.
  public init<Body>(
    _ name: String, _ role: Role, _ summary: String, _ probe: Probe<Body>, ends ending: Ending = .completes,
    needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain, shows: [String] = [],
    file: StaticString = #fileID, line: UInt = #line, _ body: Body
  ) {
    self.init(
      name, role, summary, probe.use, ends: ending, needs: needs, mainQueue: mainQueue, shows: shows,
      place: SourceLine(file, line)
    ) { trial in try probe(trial, body) }
  }

  /// Creates a variant whose trials use all declarations of the pattern, or none of them if they are not expected to
  /// complete. The body runs once, measures and records.
  public init(
    _ name: String, _ role: Role, _ summary: String, ends ending: Ending = .completes, needs: [Requirement] = [],
    mainQueue: MainQueueService = .dispatchMain, shows: [String] = [], file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.init(
      name, role, summary, ending == .completes ? nil : ProbeUse(), ends: ending, needs: needs, mainQueue: mainQueue,
      shows: shows, place: SourceLine(file, line), body)
  }

  /// Creates a variant in Swift concurrency: the body is a task, and the trial's own thread waits for its end.
  public init(
    _ name: String, _ role: Role, _ summary: String, ends ending: Ending = .completes, needs: [Requirement] = [],
    mainQueue: MainQueueService = .dispatchMain, shows: [String] = [], file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Trial) async throws -> Void
  ) {
    self.init(
      name, role, summary, ends: ending, needs: needs, mainQueue: mainQueue, shows: shows, file: file, line: line
    ) { trial in try waitFor { try await body(trial) } }
  }

  private init(
    _ name: String, _ role: Role, _ summary: String, _ use: ProbeUse?, ends ending: Ending, needs: [Requirement],
    mainQueue: MainQueueService, shows: [String], place: SourceLine,
    _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.role = role
    self.summary = summary
    self.use = use
    self.ending = ending
    self.needs = needs
    self.mainQueue = mainQueue
    self.shows = shows
    self.place = place
    self.body = body
  }
}

extension Variant {
  /// Returns the variant with another body. Tests use this method to make claims fail.
  package func running(_ body: @escaping @Sendable (Trial) throws -> Void) -> Variant {
    var changed = self
    changed.body = body
    return changed
  }

  /// Returns how long a trial with these settings may take before the lab ends it as hung: ten times its longest time,
  /// for a busy machine, plus `least`.
  func limit(_ trial: Trial, of pattern: PatternDescription, least: Duration) -> Duration {
    least + atMost(trial, of: pattern) * 10
  }

  /// Returns the longest time that a trial with these settings takes on an idle machine.
  func atMost(_ trial: Trial, of pattern: PatternDescription) -> Duration {
    let durations = pattern.parameters.filter { $0.unit == .nanoseconds && !ignores.contains($0.name) }
    let sum = durations.reduce(Duration.zero) { $0 + trial.duration($1) }
    return use?.longest?(trial) ?? pattern.pattern.longest(trial) ?? sum
  }

  /// Returns whether trials of the variant can have a figure of `metric`.
  func gives(_ metric: Metric) -> Bool {
    Metric.outcomes.contains(metric) || metric == .timeToEnd && ending.isTrap || promises.contains(metric)
      || Metric.costs.contains(metric) && ending == .completes
  }
}

extension Variant: Hashable {
  /// Compares the names, which identify variants in a pattern.
  public static func == (left: Variant, right: Variant) -> Bool { left.name == right.name }
  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The expected end of a variant's trials. A hazard that ends as expected takes its own time and not that of the
/// watchdog. Any other end is an outcome that claims can judge.
public enum Ending: Sendable, Hashable {
  /// The trials run to their end.
  case completes
  /// The runtime ends the trials with a signal, usually within this time.
  case traps(within: Duration)
  /// The trials come to a standstill: after this time all threads are found asleep. Threads that are not asleep yet, as
  /// on a slow machine, get more time, up to that of the watchdog.
  case hangs(within: Duration)

  /// The runtime ends the trials at once with a signal. The time is for a trial that stands still instead.
  public static let trapsAtOnce = Ending.traps(within: .milliseconds(500))

  /// The name of the ending in result documents.
  public var name: String {
    switch self {
    case .completes: "completes"
    case .traps: "traps"
    case .hangs: "hangs"
    }
  }

  /// Whether the runtime ends the trials.
  var isTrap: Bool { if case .traps = self { true } else { false } }

  /// The time after which the lab checks for a standstill; nil for a trial that completes.
  var within: Duration? {
    switch self {
    case .completes: nil
    case .traps(let within), .hangs(let within): within
    }
  }
}

/// The code that serves the main queue of a trial's process.
public enum MainQueueService: Sendable, Hashable {
  /// `dispatchMain`, which the main thread calls. (On Linux that passes the queue to the pool and ends the thread.)
  case dispatchMain
  /// The main thread, in a loop, as in an app.
  case mainThread
  /// The function that the body passes to the main thread (`MainThread.run`), so that the listing shows it. Until then
  /// nothing serves the queue.
  case body
  /// Nothing: the main thread sleeps.
  case nobody
}
