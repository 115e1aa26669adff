/// One way of doing a pattern, with its body.
public struct Variant: Sendable {
  /// Where a variant comes from.
  public enum Role: String, Sendable, Hashable {
    /// The source document recommends it.
    case documented
    /// The source document warns of it: its failure is the lesson.
    case broken
    /// What stands beside it today: Swift concurrency, `Mutex`.
    case modern
    /// Neither: a yardstick to compare with.
    case yardstick
  }
  /// Its name, as scenario files and checks write it.
  public let name: String
  /// Where it comes from.
  public let role: Role
  /// One sentence: what it does.
  public let summary: String
  /// How its trials are meant to end.
  public let ending: Ending
  /// What it cannot do without, beside what its pattern needs.
  public let needs: [Need]
  /// Who serves the main queue of its trials.
  public let mainQueue: MainQueueService
  /// Where it stands in its pattern's source: the line of its name.
  public let place: SourcePlace
  /// What else of the sources belongs to its code, by the names of types and functions: shown below its body.
  public let shows: [String]
  /// How long a trial takes at most with its settings; nil for what its pattern says (``Pattern/longest(_:)``).
  let takes: (@Sendable (Trial) -> Duration)?
  let own: [any Declaration]
  let without: [any Declaration]
  let body: @Sendable (Trial) throws -> Void

  /// The parameters that change nothing for this variant, so that a sweep over them runs it only once and a trial may
  /// not read them. Known once its pattern is described (``PatternDescription``).
  public internal(set) var ignores: Set<String> = []
  /// The metrics that each of its completed trials must have. Known once its pattern is described.
  public internal(set) var promises: [Metric] = []

  /// A way of doing it.
  ///
  /// - Parameters:
  ///   - own: what only this variant, and others that name it so, uses of what the pattern declares.
  ///   - without: what it does not use, although others do.
  ///   - ends: how a trial is meant to end, when not by completing: then ending otherwise is the finding.
  ///   - takes: how long a trial takes at most with its settings, where it is not what its pattern says (`longest`).
  ///   - needs: what the machine must have; where it has not, the variant is unavailable and nothing is run.
  ///   - mainQueue: who serves the main queue.
  ///   - shows: the types and functions that its body hides behind a name, and that `explain --code` shows below it.
  ///   - body: runs it once and records what it measured; called in a fresh worker process, on a thread of its own
  ///     outside the dispatch pool, while the main queue is served as said. Warm-up belongs in here and is never
  ///     recorded. An error it throws breaks the trial; only ``Unavailable``, and a `SystemError` of what the machine
  ///     has not, make it unavailable.
  public init(
    _ name: String, _ role: Role, _ summary: String, own: [any Declaration] = [], without: [any Declaration] = [],
    ends ending: Ending = .completes, needs: [Need] = [], mainQueue: MainQueueService = .dispatchMain,
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
    place = SourcePlace(file, line)
    self.body = body
  }

  /// A way of doing it in Swift concurrency: the body is a task, and the trial's own thread waits for its end.
  public init(
    _ name: String, _ role: Role, _ summary: String, own: [any Declaration] = [], without: [any Declaration] = [],
    ends ending: Ending = .completes, needs: [Need] = [], mainQueue: MainQueueService = .dispatchMain,
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
  /// The same with another body: a test's, which breaks what is claimed.
  package func running(_ body: @escaping @Sendable (Trial) throws -> Void) -> Variant {
    var changed = Variant(
      name, role, summary, own: own, without: without, ends: ending, needs: needs, mainQueue: mainQueue, shows: shows,
      takes: takes, body)
    changed.ignores = ignores
    changed.promises = promises
    return changed
  }

  /// How long a trial with these settings may take before it is ended as hung: ten times what it takes at most, for a
  /// busy machine, and `least`.
  func limit(_ trial: Trial, of pattern: PatternDescription, least: Duration) -> Duration {
    least + atMost(trial, of: pattern) * 10
  }

  /// How long a trial with these settings takes at most on a machine that has nothing else to do.
  func atMost(_ trial: Trial, of pattern: PatternDescription) -> Duration {
    let durations = pattern.parameters.filter { $0.unit == .nanoseconds && !ignores.contains($0.name) }
    let sum = durations.reduce(Duration.zero) { $0 + trial.duration($1) }
    return takes?(trial) ?? pattern.pattern.longest(trial) ?? sum
  }

  /// Whether its trials can have a figure of `metric`.
  func gives(_ metric: Metric) -> Bool {
    Metric.outcomes.contains(metric) || metric == .timeToEnd && ending != .completes || promises.contains(metric)
      || Metric.costs.contains(metric) && ending == .completes
  }
}

extension Variant: Hashable {
  /// By name, which is its identity in a pattern.
  public static func == (left: Variant, right: Variant) -> Bool { left.name == right.name }
  /// By name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// How the trials of a variant are meant to end. A hazard that ends as it is meant to costs its time and not the
/// watchdog's; ending otherwise is an outcome like any other, for claims to judge.
public enum Ending: Sendable, Hashable {
  /// Trials run to their end.
  case completes
  /// The runtime stops them with a signal, mostly within this time.
  case traps(within: Duration)
  /// Trials come to a standstill: after this time all threads are found asleep. A slow machine's threads are not; they
  /// are given more, up to the watchdog's time.
  case hangs(within: Duration)

  /// Its name, as result documents write it.
  public var name: String {
    switch self {
    case .completes: "completes"
    case .traps: "traps"
    case .hangs: "hangs"
    }
  }

  /// The time after which to look whether it stands still; nil for one that completes.
  var within: Duration? {
    switch self {
    case .completes: nil
    case .traps(let within), .hangs(let within): within
    }
  }
}

/// Who serves the main queue of a trial's process.
public enum MainQueueService: Sendable, Hashable {
  /// `dispatchMain`, called by the main thread. (On Linux that hands the queue to the pool and ends the thread.)
  case dispatchMain
  /// The main thread itself, in a loop, as in an app.
  case mainThread
  /// What the body gives the main thread to run (`MainThread.run`): so its listing shows it. Until then nobody does.
  case body
  /// Nobody: the main thread sleeps.
  case nobody
}
