/// A parameter and the values that it is given in turn.
public struct Sweep: Sendable, Hashable {
  /// The parameter's name.
  public let name: String
  /// The values, in order.
  public let values: [ParameterValue]

  /// A sweep of the parameter called `name`.
  public init(_ name: String, _ values: [ParameterValue]) {
    self.name = name
    self.values = values
  }
}

/// An experiment on a pattern, read from a scenario file and checked against what the pattern knows.
public struct Experiment: Sendable {
  /// Its name.
  public let name: String
  /// The pattern, with all that it declares.
  public let pattern: PatternDescription
  /// A short title.
  public let title: String
  /// The document it comes from.
  public let source: String
  /// The lesson, in Markdown.
  public let lesson: String
  /// Words to choose it by.
  public let tags: [String]
  /// A value for every parameter that is not swept.
  public var parameters: [String: ParameterValue]
  /// The variants to run, in order.
  public var variants: [Variant]
  /// The swept parameters with their values, in order.
  public var sweep: [Sweep]
  /// The variant that ratios refer to.
  public var baseline: String?
  /// The metrics to show, in order; the first is the headline.
  public var show: [String]
  /// The claims.
  public let claims: [Claim]
  /// What to take home, the first that the results bear out.
  public let conclusions: [Conclusion]
  /// The lines of each variant's body in its pattern's source, by its name; empty where the lab was built without the
  /// sources.
  public var code: [String: [String]] = [:]
  /// Whether the question is which setting is best, and not what the claims say.
  public var seeksBest = false
  /// The names of the parameters that the command line set to another value than the scenario has.
  public internal(set) var changed: Set<String> = []
  /// Settings that replace the others in a quick run.
  public let quick: [String: ParameterValue]
  /// Settings that make a legible picture of a trial, several values of one for several pictures; over those of
  /// ``quick``.
  public let trace: [Sweep]

  /// An experiment; every name and value must be known to `pattern`.
  public init(
    name: String, pattern: PatternDescription, title: String, source: String, lesson: String = "", tags: [String] = [],
    parameters: [String: ParameterValue] = [:], variants: [Variant],
    sweep: [Sweep] = [],
    baseline: String? = nil, show: [String], claims: [Claim] = [],
    conclusions: [Conclusion] = [], quick: [String: ParameterValue] = [:],
    trace: [Sweep] = []
  ) {
    self.name = name
    self.pattern = pattern
    self.title = title
    self.source = source
    self.lesson = lesson
    self.tags = tags
    self.parameters = parameters
    self.variants = variants
    self.sweep = sweep
    self.baseline = baseline
    self.show = show
    self.claims = claims
    self.conclusions = conclusions
    self.quick = quick
    self.trace = trace
  }
}

extension Experiment {
  /// The metric that stands for the others: the first shown.
  public var headline: Metric? { show.first.flatMap(pattern.metric) }
}
