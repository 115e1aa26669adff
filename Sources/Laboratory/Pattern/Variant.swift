/// A variant of a pattern, with its body.
public struct Variant: Sendable {
  /// The origin of a variant.
  public enum Role: String, Sendable, Hashable {
    /// A source document recommends the variant.
    case documented
    /// A source document warns of the variant: its failure is the lesson.
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
  public let place: SourcePlace
  /// The names of types and functions in the sources that belong to the variant's code, and are shown after its body.
  public let shows: [String]
  /// Returns the longest time that a trial with its settings takes; nil for the pattern's answer
  /// (``Pattern/longest(_:)``).
  let takes: (@Sendable (Trial) -> Duration)?
  /// What the trials use; nil if the variant has no probe.
  let use: ProbeUse?
  let own: [any Declaration]
  let without: [any Declaration]
  private(set) var body: @Sendable (Trial) throws -> Void

  /// The parameters that do not affect this variant. A sweep over them runs the variant only once, and a trial must not
  /// read them. They are known once the pattern is described (``PatternDescription``).
  public internal(set) var ignores: Set<String> = []
  /// The metrics that each completed trial must have. They are known once the pattern is described.
  public internal(set) var promises: [Metric] = []

  /// Creates a variant.
  ///
  /// - Parameters:
  ///   - own: the declarations that only this variant uses, and other variants that list them as well.
  ///   - without: the declarations that this variant does not use, although others do.
  ///   - ends: how a trial is expected to end, if not by completing. Any other end is then the finding.
  ///   - takes: the longest time that a trial takes with its settings, if it differs from the pattern's `longest`.
  ///   - needs: what the variant requires of the machine. If the machine does not have it, the variant is unavailable
  ///     and does not run.
  ///   - mainQueue: what serves the main queue.
  ///   - shows: the types and functions that the body uses, and that `explain --code` shows after it.
  ///   - body: runs the variant once and records what it measured. The lab calls it in a fresh worker process, on a
  ///     thread of its own outside the dispatch pool, while the main queue is served as `mainQueue` says. Warm-up
  ///     belongs here and is never recorded. An error that the body throws breaks the trial, with two exceptions that
  ///     make it unavailable: ``Unavailable``, and a `SystemError` about something that the machine lacks.
  public init(
    _ name: String, _ role: Role, _ summary: String, own: [any Declaration] = [], without: [any Declaration] = [],
    ends ending: Ending = .completes, needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain,
    shows: [String] = [], takes: (@Sendable (Trial) -> Duration)? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.role = role
    self.summary = summary
    self.own = own
    self.without = without
    self.ending = ending
    self.needs = needs
    self.mainQueue = mainQueue
    self.shows = shows
    self.takes = takes
    use = nil
    place = SourcePlace(file, line)
    self.body = body
  }

  /// Creates a variant that `probe` measures.
  public init<Body>(
    _ name: String, _ role: Role, _ summary: String, _ probe: Probe<Body>, ends ending: Ending = .completes,
    needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain, shows: [String] = [],
    file: StaticString = #fileID, line: UInt = #line, _ body: Body
  ) {
    self.name = name
    self.role = role
    self.summary = summary
    own = []
    without = []
    self.ending = ending
    self.needs = needs
    self.mainQueue = mainQueue
    self.shows = shows
    takes = probe.use.longest
    use = probe.use
    place = SourcePlace(file, line)
    self.body = { trial in try probe(trial, body) }
  }

  /// Creates a variant in Swift concurrency: the body is a task, and the trial's own thread waits for its end.
  public init(
    _ name: String, _ role: Role, _ summary: String, own: [any Declaration] = [], without: [any Declaration] = [],
    ends ending: Ending = .completes, needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain,
    shows: [String] = [], takes: (@Sendable (Trial) -> Duration)? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Trial) async throws -> Void
  ) {
    self.init(
      name, role, summary, own: own, without: without, ends: ending, needs: needs, mainQueue: mainQueue, shows: shows,
      takes: takes, file: file, line: line
    ) { trial in try waitFor { try await body(trial) } }
  }
}

extension Variant {
  /// Returns the variant with another body. Tests use it to break what is claimed.
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
    return takes?(trial) ?? pattern.pattern.longest(trial) ?? sum
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
  /// The trials come to a standstill: after this time all threads are found asleep. On a slow machine the threads are
  /// not asleep yet, and get more time, up to that of the watchdog.
  case hangs(within: Duration)

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
