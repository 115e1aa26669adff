import Laboratory
import Measurement

/// What was tried.
struct ScenarioFacts: Codable, Sendable {
  let name: String
  let title: String
  let source: String
  /// In Markdown.
  let lesson: String
  let tags: [String]
  /// The variants, in order.
  let variants: [VariantFacts]
  /// The parameters, in the pattern's order.
  let parameters: [ParameterFacts]
  /// The swept parameters, in order.
  let sweep: [String]
  /// Those of them that say how much there is to do, and not how: each of their settings has a best of its own.
  let problem: [String]?
  /// The variant that ratios refer to.
  let baseline: String?
  /// Whether the question was which setting is best (`compare`); then ratios without a baseline refer to that.
  let seeksBest: Bool?
  /// The metrics to show, the headline first.
  let show: [String]
  /// The metrics, in the pattern's order, and behind them what a trial costs the machine.
  let metrics: [MetricFacts]

  /// Which one it was, without what was tried in it.
  init(nameOf other: ScenarioFacts) {
    name = other.name
    title = other.title
    source = other.source
    lesson = ""
    tags = other.tags
    variants = []
    parameters = []
    sweep = []
    problem = nil
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
    // Fixed for all runs, or swept: then each run tells what it lacks.
    let cores = Cores.number(in: experiment.parameters)
    variants = experiment.variants.map { variant in
      VariantFacts(
        name: variant.name, role: variant.role.rawValue, says: variant.summary,
        ends: variant.ending.name, obstacle: experiment.pattern.obstacle(to: variant, on: machine.confined(to: cores)),
        code: experiment.code[variant.name]?.joined(separator: "\n"))
    }
    // What the lab adds stands there where it was asked for.
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
        changed: experiment.changed.contains(parameter.name) ? true : nil)
    }
    sweep = experiment.sweep.map(\.name)
    let amounts = experiment.sweep.map(\.name).filter(experiment.pattern.problem.contains)
    problem = amounts.isEmpty ? nil : amounts
    baseline = experiment.baseline
    seeksBest = experiment.seeksBest ? true : nil
    show = experiment.show
    metrics = measured.map {
      MetricFacts(
        name: $0.name, kind: $0.kind, unit: $0.unit, better: $0.better,
        amount: $0.isAmountOfTime ? true : nil, says: $0.summary)
    }
  }
}

/// One way of doing it.
struct VariantFacts: Codable, Sendable {
  let name: String
  let role: String
  let says: String
  /// How its trials are meant to end: `completes`, `traps`, `hangs`; nil in documents of labs that did not say.
  let ends: String?
  /// What it needs and the machine has not, so that it was not tried; nil when it has all.
  let obstacle: String?
  /// Its body as it was compiled; nil where the lab was built without the sources.
  let code: String?

  /// Whether a trial that traps or hangs has failed. Where the document does not tell, what the source warns of may.
  var isMeantToComplete: Bool { ends.map { $0 == Ending.completes.name } ?? !isBroken }

  /// Whether its failure is the lesson.
  var isBroken: Bool { role == Variant.Role.broken.rawValue }

  /// Whether it is only there for comparison.
  var isYardstick: Bool { role == Variant.Role.yardstick.rawValue }
}

/// A parameter and what it was set to: a value, or several when it was swept.
struct ParameterFacts: Codable, Sendable {
  let name: String
  let says: String
  let unit: Unit?
  let value: ParameterValue?
  let swept: [ParameterValue]?
  /// There where the command line set another value than the scenario has, `--quick` included.
  let changed: Bool?

  /// A value as people write it: `50 ns`, `1,000,000`, `ramp`.
  func describe(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): unit.map { Quantity(Double(number), $0).description } ?? number.withCommas
    }
  }

  /// A value as checks and `--set` write it: `work=50ns`.
  func label(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): "\(name)=\(text)"
    case .integer(let number): "\(name)=\(Quantity.exact(number, unit ?? .none))"
    }
  }
}

/// What a metric is.
struct MetricFacts: Codable, Sendable {
  let name: String
  let kind: Metric.Kind
  let unit: Unit
  let better: Metric.Better
  /// There where a shorter duration is less of something, such as processor time, and not faster.
  let amount: Bool?
  let says: String

  /// What its figures say.
  var meaning: Metric.Meaning { Metric.Meaning(kind, unit, isAmount: amount == true) }
}

extension Metric {
  /// Whether its durations are no running times; only of durations it does not follow from kind and unit.
  var isAmountOfTime: Bool { kind == .latency && meaning == .amount }
}

extension Ending {
  /// As documents may write it.
  static let names = [Ending.completes, .traps(within: .zero), .hangs(within: .zero)].map(\.name)
}
