import Laboratory

/// What a run is, as data, schema `gcdlab.result/2`: what `--format json` prints and `--export x.json` writes, what
/// `diff` and `report` read, and what every renderer shows, of a run that has just ended too. The schema itself is
/// `gcdlab.result-2.schema.json` beside the renderers.
///
/// Durations are in nanoseconds, whole where they came from the clock. What was not measured is not there.
public struct ResultDocument: Codable, Sendable {
  /// The version of this format.
  public static let schema = "gcdlab.result/2"

  let schema: String
  let tool: ToolFacts
  /// The command line, without the program.
  let command: [String]
  let machine: Machine
  let started: String
  let seconds: Double
  let seed: UInt64
  let interrupted: Bool?
  let scenario: ScenarioFacts
  let warnings: [Remark]
  private(set) var findings: [Remark]
  let runs: [RunFacts]
  let claims: [ClaimFacts]
  /// Trials that were recorded beside the measured ones; nil for none.
  let traces: [TraceFacts]?

  /// The document of some results.
  public init(_ results: Results) {
    schema = Self.schema
    tool = ToolFacts(name: Tool.name, version: Tool.version)
    command = results.command
    machine = results.machine
    started = results.started
    seconds = (results.seconds * 1000).rounded() / 1000
    seed = results.seed
    interrupted = results.cut == nil ? nil : true
    scenario = ScenarioFacts(results.experiment, results.metrics, on: results.machine)
    warnings = results.warnings
    findings = results.findings
    runs = results.runs.map { RunFacts($0, results.experiment.pattern, on: results.machine) }
    claims = results.judgements.map(ClaimFacts.init)
    traces = TraceFacts.facts(results.traces)
  }

  /// The same with what the run comes to, before all that it found.
  func concluding(_ answer: String?) -> ResultDocument {
    guard let answer else { return self }
    var document = self
    document.findings.insert(Remark(Conclusion.kind, answer), at: 0)
    return document
  }

  /// The name of what was tried.
  public var scenarioName: String { scenario.name }

  /// Whether it was cut short.
  public var isCut: Bool { interrupted == true }

  /// Whether it was measured on `machine`, as far as a document tells.
  public func isOf(_ machine: Machine) -> Bool {
    self.machine.os == machine.os && self.machine.kernel == machine.kernel && self.machine.cpu == machine.cpu
      && self.machine.usedCores == machine.usedCores && self.machine.swift == machine.swift
      && self.machine.optimised == machine.optimised && self.machine.dispatch == machine.dispatch
  }

  /// What became of the claims, and nothing else: an index of many runs is read at each start of `documents`, where
  /// half of the time went into lessons and code that it does not show.
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

  /// Whether the run is no pass: a claim failed, or, whatever the claims say, a trial broke, or one crashed or hung
  /// that is meant to complete.
  public func hasFailed(strict: Bool) -> Bool {
    hasBrokenTrials || unfinishedTrials > 0 || claims.contains { $0.verdict.isFailure(strict: strict) }
  }

  /// Why documents that have claims judged none of them, which is no pass; nil where they judged some, or sought the
  /// best setting.
  public static func nothingJudged(_ documents: [ResultDocument]) -> String? {
    let claims = documents.filter { $0.scenario.seeksBest != true }.flatMap(\.claims)
    guard let first = claims.first, claims.allSatisfy({ $0.verdict == .unavailable }) else { return nil }
    return first.evidence.reason ?? "nothing was measured"
  }

  /// How many trials ended, in whatever way.
  public var trials: Int { runs.reduce(0) { $0 + $1.rounds } }

  /// Whether this version of the lab wrote it.
  public var isOfThisVersion: Bool { tool.name == Tool.name && tool.version == Tool.version }

  /// Whether a trial broke: it did not do what its own pattern says.
  var hasBrokenTrials: Bool { brokenTrials > 0 }

  /// Trials that crashed or hung of variants that are meant to complete.
  var unfinishedTrials: Int {
    let completing = Set(scenario.variants.filter(\.isMeantToComplete).map(\.name))
    return runs.filter { completing.contains($0.variant) }.reduce(0) { $0 + $1.outcomes.count(where: \.isAbnormal) }
  }

  var brokenTrials: Int { runs.reduce(0) { $0 + $1.outcomes[.broken] } }
}

/// What wrote a document.
struct ToolFacts: Codable, Sendable {
  let name: String
  let version: String
}
