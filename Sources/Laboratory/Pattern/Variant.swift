/// A variant of a pattern: one way to use the mechanism, with the code to run.
public struct Variant: Sendable {
  /// The origin of a variant.
  public enum Role: String, Sendable, Hashable {
    /// A source document contains the variant, or the variant is the plain use of the same API.
    case documented
    /// A mistake that the lesson shows. A source document may warn of it.
    case broken
    /// The modern alternative, such as Swift concurrency or `Mutex`.
    case modern
    /// A yardstick for comparison only.
    case yardstick
  }
  /// The name, as scenario files and checks write it.
  public let name: String
  /// The origin of the variant.
  public let role: Role
  /// A short description of the variant.
  public let summary: String
  /// The way in which the trials are expected to end.
  public let ending: Ending
  /// The requirements of the variant on the machine, in addition to the requirements of its pattern.
  public let needs: [Requirement]
  /// The code that serves the main queue during the trials of the variant.
  public let mainQueue: MainQueueService
  /// The line of the variant's name in the pattern's source.
  public let place: SourceLine
  /// The names of types and functions that belong to the variant's code. `explain --code` shows these declarations
  /// after the body.
  public let shows: [String]
  /// The declarations that the trials use; nil if they use all declarations of the pattern.
  let declarations: ProbeDeclarations?
  private(set) var body: @Sendable (Trial) throws -> Void

  /// The names of the parameters that do not affect this variant; empty until the pattern is described
  /// (``PatternDescription``). A sweep over these parameters runs the variant only once, and a trial must not read
  /// these parameters.
  public internal(set) var ignores: Set<String> = []
  /// The metrics that each completed trial records; empty until the pattern is described. Only metrics with a reason
  /// (``Metric/missingIf``) may be missing.
  public internal(set) var records: [Metric] = []

  /// Creates a variant that `probe` measures.
  ///
  /// - Parameters:
  ///   - probe: the settings that a trial reads, the metrics that the trial records, and the code around the body.
  ///   - ends: the expected end of a trial. A trial that is not expected to complete records no metrics of the pattern.
  ///   - needs: the requirements on the machine. If the machine does not meet the requirements, the variant is
  ///     unavailable and does not run.
  ///   - mainQueue: the code that serves the main queue.
  ///   - shows: the names of types and functions that the body uses. `explain --code` shows these declarations after
  ///     the body.
  ///   - body: the code of the variant. The lab passes the body to the probe in a new worker process, on a thread
  ///     outside the dispatch pool, while the main queue is served as `mainQueue` specifies. The body must warm up the
  ///     code that it measures, and must not record the warm-up. If the body throws an error, the trial is broken. If
  ///     the error is ``Unavailable``, or a `SystemError` about a resource that the machine lacks, the trial is
  ///     unavailable.
  public init<Body>(
    _ name: String, _ role: Role, _ summary: String, _ probe: Probe<Body>, ends ending: Ending = .completes,
    needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain, shows: [String] = [],
    file: StaticString = #fileID, line: UInt = #line, _ body: Body
  ) {
    self.init(
      name, role, summary, probe.declarations, ends: ending, needs: needs, mainQueue: mainQueue, shows: shows,
      place: SourceLine(file, line)
    ) { trial in try probe(trial, body) }
  }

  /// Creates a variant whose body contains its measuring code. The trials use all declarations of the pattern, or no
  /// declarations if the trials are not expected to complete.
  public init(
    _ name: String, _ role: Role, _ summary: String, ends ending: Ending = .completes, needs: [Requirement] = [],
    mainQueue: MainQueueService = .dispatchMain, shows: [String] = [], file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.init(
      name, role, summary, ending == .completes ? nil : ProbeDeclarations(), ends: ending, needs: needs,
      mainQueue: mainQueue,
      shows: shows, place: SourceLine(file, line), body)
  }

  /// Creates a variant with an asynchronous body. The body runs as a task, and the trial's thread waits until the task
  /// ends.
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
    _ name: String, _ role: Role, _ summary: String, _ declarations: ProbeDeclarations?, ends ending: Ending,
    needs: [Requirement],
    mainQueue: MainQueueService, shows: [String], place: SourceLine,
    _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.role = role
    self.summary = summary
    self.declarations = declarations
    self.ending = ending
    self.needs = needs
    self.mainQueue = mainQueue
    self.shows = shows
    self.place = place
    self.body = body
  }
}

extension Variant {
  /// Returns a copy of the variant with `body` in place of its own body. Tests use this method to make claims fail.
  package func running(_ body: @escaping @Sendable (Trial) throws -> Void) -> Variant {
    var changed = self
    changed.body = body
    return changed
  }

  /// Returns the time after which the lab ends a trial with the settings of `trial`, and records that the trial hung:
  /// `least` plus ten times the longest time of the trial on an idle machine. The factor allows for a busy machine.
  func limit(_ trial: Trial, of pattern: PatternDescription, least: Duration) -> Duration {
    least + longestTime(of: trial, in: pattern) * 10
  }

  /// Returns the longest time that a trial with the settings of `trial` takes on an idle machine. The probe computes
  /// the time, or the pattern if the probe does not. If neither computes a time, the result is the sum of the durations
  /// among the settings that affect the variant.
  func longestTime(of trial: Trial, in pattern: PatternDescription) -> Duration {
    let durations = pattern.parameters.filter { $0.unit == .nanoseconds && !ignores.contains($0.name) }
    let sum = durations.reduce(Duration.zero) { $0 + trial.duration($1) }
    return declarations?.longest?(trial) ?? pattern.implementation.longest(trial) ?? sum
  }

  /// Returns whether trials of the variant can record `metric`.
  func canRecord(_ metric: Metric) -> Bool {
    Metric.outcomes.contains(metric) || metric == .timeToEnd && ending.isTrap || records.contains(metric)
      || Metric.costs.contains(metric) && ending == .completes
  }
}

extension Variant: Hashable {
  /// Returns whether two variants have the same name. The name identifies a variant in its pattern.
  public static func == (left: Variant, right: Variant) -> Bool { left.name == right.name }
  /// Hashes the name of the variant.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
