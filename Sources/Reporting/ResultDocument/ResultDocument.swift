import Laboratory

/// The result of a run as data, schema `gcdlab.result/2`.
///
/// `--format json` prints the document, `--export x.json` writes the document to a file, and `diff` and `report` read
/// the file. All renderers use the document, including the renderers for a run that has just ended. The schema is in
/// `gcdlab.result-2.schema.json` in the source directory of this module.
///
/// Durations are in nanoseconds, except for `seconds`. Durations that a clock measured are whole numbers. A figure that
/// was not measured is absent.
public struct ResultDocument: Codable, Sendable {
  /// The identifier of the format and its version.
  public static let schema = "gcdlab.result/2"

  let schema: String
  let tool: ToolFacts
  /// The arguments of the command line, without the name of the program.
  let command: [String]
  let machine: Machine
  let started: String
  let seconds: Double
  let seed: UInt64
  let interrupted: Bool?
  let scenario: ScenarioFacts
  let warnings: [RunNote]
  private(set) var findings: [RunNote]
  let runs: [RunFacts]
  let claims: [ClaimFacts]
  /// The recorded trials, which are not among the measured trials; nil if no trial was recorded.
  let traces: [TraceFacts]?

  /// Creates a document from the results of a run.
  public init(_ results: Results) {
    schema = Self.schema
    tool = ToolFacts(name: Tool.name, version: Tool.version)
    command = results.command
    machine = results.machine
    started = results.started
    seconds = (results.seconds * 1000).rounded() / 1000
    seed = results.seed
    interrupted = results.earlyEnd == nil ? nil : true
    scenario = ScenarioFacts(results.experiment, results.metrics, on: results.machine)
    warnings = results.warnings
    findings = results.findings
    runs = results.runs.map { RunFacts($0, results.experiment.pattern, on: results.machine) }
    claims = results.judgements.map(ClaimFacts.init)
    traces = TraceFacts.facts(results.traces)
  }

  /// Returns a copy of the document with the sentences of a comparison's answer. All sentences of the answer come
  /// first, in the order in which reports show them. If a pattern answers a question about the user's own program, the
  /// decision states that it is about the measured program.
  func concluding(_ answer: [RunNote]) -> ResultDocument {
    var notes = answer + findings
    if findings.contains(where: { $0.kind == Conclusion.ownAnswer }),
      let first = notes.firstIndex(where: { $0.kind == Conclusion.kind })
    {
      notes[first] = RunNote(Conclusion.kind, "For the measured program: \(notes[first].says.uncapitalizedFirst)")
    }
    var document = self
    document.findings =
      Conclusion.kinds.flatMap { kind in notes.filter { $0.kind == kind } }
      + notes.filter { !Conclusion.kinds.contains($0.kind) }
    return document
  }

  /// The name of the scenario.
  public var scenarioName: String { scenario.name }

  /// The scenario, the start, the seed, the duration and the totals of all metrics of the run. Two different runs with
  /// figures have different identities. The start and the duration are not enough: runs of a few milliseconds start in
  /// the same second and take equally long.
  public var identity: [String] {
    let totals = runs.flatMap { run in
      run.metrics.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.total.value)" }
    }
    return [scenarioName, started, String(seed), String(seconds)] + totals
  }

  /// Whether the scenario is built into the lab: a command started the run, and names no scenario file.
  var isBuiltIn: Bool { !command.isEmpty && !command.contains(where: \.isScenarioFile) }

  /// Whether the run was interrupted.
  public var isInterrupted: Bool { interrupted == true }

  /// Returns whether the run was measured on `machine`: whether the operating systems, the kernels, the processors, the
  /// numbers of used cores, the versions of Swift, the Dispatch libraries and the optimisations of the builds are
  /// equal.
  public func isOf(_ machine: Machine) -> Bool {
    self.machine.os == machine.os && self.machine.kernel == machine.kernel && self.machine.cpu == machine.cpu
      && self.machine.usedCores == machine.usedCores && self.machine.swift == machine.swift
      && self.machine.optimised == machine.optimised && self.machine.dispatch == machine.dispatch
  }

  /// A copy of the document that contains only the verdicts on the claims. The `documents` command reads many such
  /// copies at each start. Copies with lessons and code would take twice as long to parse.
  public var verdictsAlone: ResultDocument { ResultDocument(verdictsOf: self) }

  private init(verdictsOf other: ResultDocument) {
    schema = other.schema
    tool = other.tool
    command = other.command
    machine = other.machine
    started = other.started
    seconds = other.seconds
    seed = other.seed
    interrupted = other.interrupted
    scenario = ScenarioFacts(nameOf: other.scenario)
    warnings = []
    findings = []
    runs = []
    claims = other.claims
    traces = nil
  }

  /// Returns whether the run failed. A run fails if a claim fails, if a trial does not record the figures that its
  /// variant promises, or if a trial that is meant to complete crashes or hangs.
  ///
  /// - Parameter strict: whether a refuted performance claim is a failure.
  public func hasFailed(strict: Bool) -> Bool {
    brokenTrials > 0 || unfinishedTrials > 0 || claims.contains { $0.verdict.isFailure(strict: strict) }
  }

  /// Returns the reason why the first claim in some documents could not be judged; nil if any claim was judged, or if
  /// there are no claims. Comparisons are ignored.
  public static func whyNothingJudged(_ documents: [ResultDocument]) -> String? {
    let claims = documents.filter { !$0.scenario.isComparison }.flatMap(\.claims)
    guard let first = claims.first, claims.allSatisfy({ $0.verdict == .unavailable }) else { return nil }
    return first.evidence.reason ?? "nothing was measured"
  }

  /// The number of trials, including trials that did not complete.
  public var trials: Int { runs.reduce(0) { $0 + $1.rounds } }

  /// Whether this version of the lab wrote the document.
  public var isOfThisVersion: Bool { tool.name == Tool.name && tool.version == Tool.version }

  /// The number of trials that crashed or hung although their variants are meant to complete.
  var unfinishedTrials: Int {
    let completing = Set(scenario.variants.filter(\.isMeantToComplete).map(\.name))
    return runs.filter { completing.contains($0.variant) }.reduce(0) { $0 + $1.outcomes.count(where: \.isAbnormal) }
  }

  var brokenTrials: Int { runs.reduce(0) { $0 + $1.outcomes[.broken] } }
}

/// The tool that wrote a document.
struct ToolFacts: Codable, Sendable {
  let name: String
  let version: String
}
