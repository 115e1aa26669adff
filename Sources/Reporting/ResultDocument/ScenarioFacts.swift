import Laboratory
import Measurement

/// The scenario of a run, as part of a result document.
struct ScenarioFacts: Codable, Sendable {
  let name: String
  let title: String
  let source: String
  /// The lesson, in Markdown.
  let lesson: String
  let tags: [String]
  /// The variants, in the order of the scenario.
  let variants: [VariantFacts]
  /// The parameters, in the order of the pattern.
  let parameters: [ParameterFacts]
  /// The names of the swept parameters, in the order of the sweep.
  let sweep: [String]
  /// The names of the swept parameters that define the amount of work or the conditions; nil if there are no such
  /// parameters. Each setting of these parameters has its own best run.
  let problem: [String]?
  /// The names in ``problem`` of the parameters that a program does not choose; nil if there are no such parameters.
  let conditions: [String]?
  /// The name of the variant that is the reference of ratios; nil if there is no baseline.
  let baseline: String?
  /// True if the run was a comparison (`compare`); otherwise nil. Without a baseline, the reference of
  /// ratios in a comparison is the best run.
  let seeksBest: Bool?
  /// The names of the metrics to show, the headline first.
  let show: [String]
  /// The metrics, in the order of the pattern, followed by the resources that a trial uses.
  let metrics: [MetricFacts]

  /// Whether the run was a comparison (``seeksBest``).
  var isComparison: Bool { seeksBest == true }

  /// Creates a copy of `other` that contains only the name, the title, the source and the tags.
  init(nameOf other: ScenarioFacts) {
    name = other.name
    title = other.title
    source = other.source
    lesson = ""
    tags = other.tags
    variants = []
    parameters = []
    sweep = []
    (problem, conditions) = (nil, nil)
    baseline = nil
    seeksBest = nil
    show = []
    metrics = []
  }

  init(_ experiment: Experiment, _ measured: [Metric], on machine: Machine) {
    name = experiment.name
    title = experiment.title
    source = experiment.source
    lesson = experiment.lesson
    tags = experiment.tags
    // All runs have the same number of cores unless cores are swept. If cores are swept, each run states its own
    // obstacle.
    let cores = Cores.number(in: experiment.parameters)
    variants = experiment.variants.map { variant in
      VariantFacts(
        name: variant.name, role: variant.role.rawValue, says: variant.summary,
        ends: variant.ending.name,
        obstacle: experiment.pattern.implementation.obstacle(to: variant, on: machine.confined(to: cores)),
        code: experiment.code[variant.name]?.joined(separator: "\n"))
    }
    // A parameter that the lab adds to every pattern is listed only if the parameter is set or swept.
    let settings = experiment.pattern.settable.filter { parameter in
      experiment.pattern.parameters.contains { $0.name == parameter.name }
        || experiment.parameters[parameter.name] != nil
        || experiment.sweep.contains { $0.name == parameter.name }
    }
    parameters = settings.map { parameter in
      let swept = experiment.sweep.first { $0.name == parameter.name }?.values
      return ParameterFacts(
        name: parameter.name, says: parameter.summary, unit: parameter.unit == .none ? nil : parameter.unit,
        value: swept == nil ? experiment.parameters[parameter.name] ?? parameter.standard : nil, swept: swept,
        changed: experiment.changed.contains(parameter.name) ? true : nil,
        ignored: experiment.variants.allSatisfy { $0.ignores.contains(parameter.name) } ? true : nil,
        alike: swept == nil ? nil : experiment.saturation(of: parameter.name, sweeping: experiment.sweep)?.from)
    }
    sweep = experiment.sweep.map(\.name)
    let amounts = experiment.sweep.map(\.name).filter(experiment.pattern.problem.contains)
    problem = amounts.isEmpty ? nil : amounts
    let given = amounts.filter(experiment.pattern.conditions.contains)
    conditions = given.isEmpty ? nil : given
    baseline = experiment.baseline
    seeksBest = experiment.isComparison ? true : nil
    show = experiment.show
    metrics = measured.map {
      MetricFacts(
        name: $0.name, kind: $0.kind, unit: $0.unit, better: $0.better,
        amount: $0.isAmount ? true : nil, says: $0.summary)
    }
  }
}

struct VariantFacts: Codable, Sendable {
  let name: String
  let role: String
  let says: String
  /// The intended end of the variant's trials, `completes`, `traps` or `hangs`; nil if the version that wrote the
  /// document did not write the end.
  let ends: String?
  /// The requirement of the variant that the machine does not meet; nil if the machine meets all requirements. A
  /// variant with an obstacle is not tried.
  let obstacle: String?
  /// The source code of the variant's body; nil if the lab was built without the sources.
  let code: String?

  /// Whether a trap or a hang of a trial is a failure. In a document without the intended end, a trap or a hang is a
  /// failure unless the variant is broken.
  var isMeantToComplete: Bool { ends.map { $0 == Ending.completes.name } ?? !isBroken }

  /// Whether the variant shows a mistake: its role is ``Variant/Role/broken``.
  var isBroken: Bool { role == Variant.Role.broken.rawValue }

  /// Whether the variant is only a reference for comparisons.
  var isYardstick: Bool { role == Variant.Role.yardstick.rawValue }
}

/// A parameter with its value, or with several values if the parameter was swept.
struct ParameterFacts: Codable, Sendable {
  let name: String
  let says: String
  let unit: Unit?
  let value: ParameterValue?
  let swept: [ParameterValue]?
  /// True if the command line, including `--quick`, set a value other than the scenario's; otherwise nil.
  let changed: Bool?
  /// True if no variant of the run reads the parameter; otherwise nil.
  let ignored: Bool?
  /// The smallest value of a swept parameter at and above which all values have the same effect; nil if there is no
  /// such value, or if the parameter is not swept.
  let alike: Int?

  /// The largest of the swept values; the last of them if they are texts, and nil if the parameter is not swept.
  var most: ParameterValue? {
    swept?.last?.integer == nil ? swept?.last : swept?.max { $0.integer ?? .min < $1.integer ?? .min }
  }

  /// Returns whether a point has the largest of the swept values, or no value of the parameter.
  func isMost(in point: [String: ParameterValue]) -> Bool { point[name].map { $0 == most } ?? true }

  /// Returns a value as text for readers: `50 ns`, `1,000,000`, `ramp`.
  func describe(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): unit.map { Quantity(Double(number), $0).description } ?? number.withCommas
    }
  }

  /// Returns a value in the notation of checks and of `--set`: `50ns`.
  func exact(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): Quantity.exact(number, unit ?? .none)
    }
  }

  /// Returns a setting in the notation of checks and `--set`: `work=50ns`.
  func label(_ value: ParameterValue) -> String { "\(name)=\(exact(value))" }

  /// Returns several values in the notation of `compare`: `work=50ns,1us`; nil if there are none.
  func notation(of values: [ParameterValue]) -> String? {
    values.isEmpty ? nil : "\(name)=\(values.map(exact).joined(separator: ","))"
  }
}

/// A metric of a scenario, as part of a result document.
struct MetricFacts: Codable, Sendable {
  let name: String
  let kind: Metric.Kind
  let unit: Unit
  let better: Metric.Better
  /// True if a shorter duration means a smaller amount, such as less processor time, and not a higher speed; otherwise
  /// nil.
  let amount: Bool?
  let says: String

  var meaning: Metric.Meaning { Metric.Meaning(kind, unit, isAmount: amount == true) }

  /// Whether the metric is a speed-up: how many times as fast something is as a reference.
  var isSpeedUp: Bool { Self.speedUps.contains(name) }
  static let speedUps: Set<String> = ["speedup", "speed-up"]

  /// The word for the best mean: `highest` if higher figures are better, otherwise `lowest`.
  var superlative: String { better == .higher ? "highest" : "lowest" }
}

extension Metric {
  /// Whether the metric's durations are amounts and not running times. The kind and the unit of a metric determine its
  /// meaning in all other cases.
  var isAmount: Bool { kind == .latency && meaning == .amount }
}

extension Ending {
  /// The names of the intended ends in documents.
  static let names = [Ending.completes, .traps(within: .zero), .hangs(within: .zero)].map(\.name)
}
