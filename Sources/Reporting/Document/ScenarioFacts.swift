import Laboratory
import Measurement

/// The scenario of a run.
struct ScenarioFacts: Codable, Sendable {
  let name: String
  let title: String
  let source: String
  /// The lesson, in Markdown.
  let lesson: String
  let tags: [String]
  /// The variants, in order.
  let variants: [VariantFacts]
  /// The parameters, in the pattern's order.
  let parameters: [ParameterFacts]
  /// The swept parameters, in order.
  let sweep: [String]
  /// The swept parameters for the amount of work, which do not change how the work is done. Each of their settings has
  /// a best run of its own.
  let problem: [String]?
  /// The variant to which ratios refer.
  let baseline: String?
  /// Whether the run was a search for the best setting (`compare`). Without a baseline, its ratios refer to the best
  /// run.
  let seeksBest: Bool?
  /// The metrics to show, the headline first.
  let show: [String]
  /// The metrics, in the pattern's order, followed by the resources that a trial uses.
  let metrics: [MetricFacts]

  /// Creates the facts that name a scenario, without its variants, parameters and metrics.
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
    // The number of cores is fixed for all runs or swept. If the number is swept, each run has its own obstacle.
    let cores = Cores.number(in: experiment.parameters)
    variants = experiment.variants.map { variant in
      VariantFacts(
        name: variant.name, role: variant.role.rawValue, says: variant.summary,
        ends: variant.ending.name, obstacle: experiment.pattern.obstacle(to: variant, on: machine.confined(to: cores)),
        code: experiment.code[variant.name]?.joined(separator: "\n"))
    }
    // A setting that the lab adds to every pattern is listed only if it was asked for.
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

/// A variant of the scenario.
struct VariantFacts: Codable, Sendable {
  let name: String
  let role: String
  let says: String
  /// The intended end of the variant's trials: `completes`, `traps`, `hangs`; nil in documents of labs that did not
  /// write it.
  let ends: String?
  /// The requirement of the variant that the machine does not meet, so that the variant was not tried; nil if the
  /// machine meets all requirements.
  let obstacle: String?
  /// The body of the variant as it was compiled; nil if the lab was built without the sources.
  let code: String?

  /// Whether a trial that traps or hangs has failed. If the document does not contain the intended end, only the trials
  /// of a broken variant may trap or hang.
  var isMeantToComplete: Bool { ends.map { $0 == Ending.completes.name } ?? !isBroken }

  /// Whether the failure of the variant is the lesson.
  var isBroken: Bool { role == Variant.Role.broken.rawValue }

  /// Whether the variant only serves as a comparison.
  var isYardstick: Bool { role == Variant.Role.yardstick.rawValue }
}

/// A parameter with its setting: one value, or several if it was swept.
struct ParameterFacts: Codable, Sendable {
  let name: String
  let says: String
  let unit: Unit?
  let value: ParameterValue?
  let swept: [ParameterValue]?
  /// True if the command line, `--quick` included, set another value than the scenario has; otherwise nil.
  let changed: Bool?

  /// Returns a value for people: `50 ns`, `1,000,000`, `ramp`.
  func describe(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): unit.map { Quantity(Double(number), $0).description } ?? number.withCommas
    }
  }

  /// Returns a value as checks and `--set` write it: `work=50ns`.
  func label(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): "\(name)=\(text)"
    case .integer(let number): "\(name)=\(Quantity.exact(number, unit ?? .none))"
    }
  }
}

/// A metric as the scenario describes it.
struct MetricFacts: Codable, Sendable {
  let name: String
  let kind: Metric.Kind
  let unit: Unit
  let better: Metric.Better
  /// True if a shorter duration means a smaller amount, such as less processor time, and not a higher speed; otherwise
  /// nil.
  let amount: Bool?
  let says: String

  /// The meaning of the figures.
  var meaning: Metric.Meaning { Metric.Meaning(kind, unit, isAmount: amount == true) }
}

extension Metric {
  /// Whether the metric's durations are amounts and not running times. For all other metrics, kind and unit determine
  /// the meaning.
  var isAmountOfTime: Bool { kind == .latency && meaning == .amount }
}

extension Ending {
  /// The names that documents may contain.
  static let names = [Ending.completes, .traps(within: .zero), .hangs(within: .zero)].map(\.name)
}
