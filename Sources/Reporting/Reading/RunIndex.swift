import Laboratory
import Measurement

/// The runs of a document by variant and point, so that none is searched for.
struct RunIndex: Sendable {
  let document: ResultDocument
  /// The label of each run, as checks write it: `apply[stride=64]`.
  let labels: [String]
  /// The swept parameters, in the order of the sweep.
  let swept: [ParameterFacts]
  /// The number of each variant.
  let variants: [String: Int]
  private let places: [Place: Int]
  /// What a variant heeds of the sweep: a variant that ignores a parameter has one run for all its values.
  private let heeded: [String: Set<String>]

  struct Place: Hashable {
    let variant: String
    let point: [String: ParameterValue]
  }

  init(_ document: ResultDocument) {
    self.document = document
    let parameters = Dictionary(
      document.scenario.parameters.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let swept = document.scenario.sweep.compactMap { parameters[$0] }
    self.swept = swept
    variants = Dictionary(
      document.scenario.variants.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    labels = document.runs.map { Self.label($0, swept) }
    places = Dictionary(
      document.runs.enumerated().map { (Place(variant: $1.variant, point: $1.point), $0) },
      uniquingKeysWith: { first, _ in first })
    heeded = Dictionary(document.runs.map { ($0.variant, Set($0.point.keys)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a run is of a variant whose failure is the lesson.
  func isBroken(_ run: Int) -> Bool {
    variants[document.runs[run].variant].map { document.scenario.variants[$0].isBroken } ?? false
  }

  /// The run of a variant at a point, as far as the variant heeds it.
  func run(_ variant: String, at point: [String: ParameterValue]) -> Int? {
    guard let heeded = heeded[variant] else { return nil }
    return places[Place(variant: variant, point: point.filter { heeded.contains($0.key) })]
  }

  /// The variant and point of a run, without some of its settings.
  static func label(_ run: RunFacts, _ swept: [ParameterFacts], without dropped: String? = nil) -> String {
    let settings = swept.compactMap { parameter in
      parameter.name == dropped ? nil : run.point[parameter.name].map(parameter.label)
    }
    return settings.isEmpty ? run.variant : "\(run.variant)[\(settings.joined(separator: ","))]"
  }

  /// The best of some runs; nil when neither way is better, or nothing was measured.
  func best(of runs: some Sequence<Int>, by metric: MetricFacts) -> Int? {
    metric.better.ranking?.best(runs) { typical($0, metric) }
  }

  /// The run of each variant to show where one must stand for all: the best one, or of a metric that neither way is better
  /// the lowest.
  func bestOfEachVariant(by metric: MetricFacts) -> [Int] {
    let runs = Dictionary(grouping: document.runs.indices) { document.runs[$0].variant }
    let ranking = metric.better.ranking ?? .lower
    return document.scenario.variants.compactMap { variant in
      ranking.best(runs[variant.name] ?? []) { typical($0, metric) }
    }
  }

  private func typical(_ run: Int, _ metric: MetricFacts) -> Double? {
    document.runs[run].metrics[metric.name].flatMap { Ranking.typical($0.figures) }
  }
}
