/// An experiment on a pattern. A scenario file describes the experiment. The lab checks the names and the values in the
/// file against the pattern.
public struct Experiment: Sendable {
  /// The name of the experiment.
  public let name: String
  /// The pattern with its declarations.
  public let pattern: PatternDescription
  /// A short title for lists and reports.
  public let title: String
  /// The document that the experiment is based on, as text; empty if the scenario file does not name a document.
  public let source: String
  /// The lesson, in Markdown.
  public let lesson: String
  /// The tags that select the experiment on the command line.
  public let tags: [String]
  /// The values that the scenario or the command line sets, by the names of the parameters. A parameter without a value
  /// has its default value, unless the parameter is swept.
  public var parameters: [String: ParameterValue]
  /// The variants to run, in the order of the scenario file or of the pattern.
  public var variants: [Variant]
  /// The swept parameters with their values. From point to point, the value of the last parameter changes first.
  public var sweep: [Sweep]
  /// The name of the variant that ratios refer to; nil if the experiment has no baseline.
  public var baseline: String?
  /// The names of the metrics to show, in the order in which reports show the metrics. The first metric is the headline
  /// metric.
  public var show: [String]
  /// The claims that the trials test.
  public let claims: [Claim]
  /// The conclusions. Reports show the first conclusion whose conditions the results meet.
  public let conclusions: [Conclusion]
  /// The lines of code that `explain --code` shows for each variant, by the name of the variant; empty if the lab was
  /// built without the sources.
  public var code: [String: [String]] = [:]
  /// Whether the experiment is a comparison (`compare`), which searches for the best setting, and judges only claims
  /// that fail.
  public var isComparison = false
  /// The names of the parameters that the command line set, and that the scenario sweeps or sets to another value.
  public internal(set) var changed: Set<String> = []
  /// The settings of a quick run, which replace the values in ``parameters``.
  public let quick: [String: ParameterValue]
  /// The settings of a recorded trial. These settings replace the values in ``quick``, and keep the picture legible. If
  /// a setting has several values, each value has its own picture.
  public let trace: [Sweep]

  /// Creates an experiment. `pattern` must declare every name and allow every value.
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
  /// Whether the parameters already have the values of ``quick``.
  var isQuick: Bool { quick.allSatisfy { parameters[$0.key] == $0.value } }

  /// The headline metric, which is the first metric that is shown; nil if no metric is shown.
  public var headline: Metric? { show.first.flatMap(pattern.metric) }

  /// Returns the experiment with a shown or other metric as the headline metric.
  public func showing(first metric: String) -> Experiment {
    var changed = self
    changed.show = [metric] + show.filter { $0 != metric }
    return changed
  }

  /// The metric by which a comparison ranks the settings, unless the user names another metric; nil if no metric is
  /// shown.
  ///
  /// A comparison first states whether a setting has a count above 0 of a headline metric that counts failures, and
  /// then ranks the settings without failures by another metric. A metric without a better direction ranks nothing, and
  /// a metric that no swept parameter affects cannot rank the swept settings. In these cases, the first other shown
  /// metric that can rank the settings is chosen; if there is none, the headline metric remains.
  public var rankingMetric: Metric? {
    guard let headline else { return nil }
    let isCount = headline.kind == .count && headline.better == .lower
    guard isCount || headline.better == .neither || !isAffected(headline) else { return headline }
    let metrics = show.compactMap(pattern.metric).filter { $0.kind != .count && $0.better != .neither }
    return metrics.first(where: isAffected) ?? headline
  }

  /// Returns whether a swept parameter may affect `metric`; true if nothing is swept.
  public func isAffected(_ metric: Metric) -> Bool {
    sweep.isEmpty || metric.affectedBy.map { names in sweep.contains { names.contains($0.name) } } ?? true
  }

  /// The names of the swept parameters that define the problem, in the order of the sweep.
  public var sweptProblem: [String] { sweep.map(\.name).filter(pattern.problem.contains) }
}

extension Comparison.Policy {
  /// Creates the policy for comparisons of the runs of `experiment`.
  public init(_ experiment: Experiment) {
    self.init(
      baseline: experiment.baseline, seeksBest: experiment.isComparison, sweep: experiment.sweep.map(\.name),
      problem: experiment.sweptProblem)
  }
}

extension Experiment {
  /// The settings that all runs share, as text, for example `requests 3, work 50 us`.
  public var settingsText: String {
    pattern.parameters.filter { parameter in !sweep.contains { $0.name == parameter.name } }.map { parameter in
      "\(parameter.name) \(parameter.describe(parameters[parameter.name] ?? parameter.standard))"
    }.joined(separator: ", ")
  }
}

extension Experiment {
  /// Returns the smallest value of a swept parameter at and above which all values have the same effect, and the reason
  /// as a clause that follows a colon; nil if each value has its own effect.
  ///
  /// - Parameter sweep: the sweeps of the experiment. A parameter that is swept has no fixed value.
  public func saturation(of parameter: String, sweeping sweep: [Sweep]) -> (from: Int, reason: String)? {
    (pattern.implementation as? any SaturatingPattern)?.saturation(
      of: parameter, with: parameters.filter { name, _ in !sweep.contains { $0.name == name } })
  }
}

extension Experiment {
  /// The shown metrics that may count a flaw of a comparison. The first of them that is 0 in at least one run counts
  /// flaws.
  var flawMetrics: [Metric] {
    isComparison
      ? show.dropFirst().compactMap(pattern.metric).filter { $0.meaning == .count && $0.better == .lower } : []
  }

  /// Returns the comparison of runs by the headline metric, without the runs that have a flaw. The report compares the
  /// same runs, unless the headline itself counts flaws: it then ranks by the next metric.
  ///
  /// - Parameter areZero: for each of ``flawMetrics`` and each run, whether the count is 0 in all rounds; nil if
  ///   nothing was counted.
  func comparison(of entries: [Comparison.Entry], areZero: [[Bool?]]) -> Comparison {
    let counted = areZero.first { $0.contains(true) } ?? entries.map { _ in nil }
    let amounts = Set(sweptProblem).subtracting(pattern.conditions)
    let flaws = Flaws(of: entries, areZero: counted, amounts: amounts)
    return Comparison(flaws.excluded(from: entries), .init(self), ranking: headline?.better.ranking)
  }
}
