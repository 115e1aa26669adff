import Laboratory
import Measurement

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a page asks of a document.
extension ResultDocument.RunFacts {
  /// Its variant and point, as checks write them: `apply[stride=64]`.
  func label(_ scenario: ResultDocument.ScenarioFacts, without dropped: String? = nil) -> String {
    let settings = scenario.sweep.filter { $0 != dropped }.compactMap { setting($0, scenario)?.label }
    return settings.isEmpty ? variant : "\(variant)[\(settings.joined(separator: ","))]"
  }

  /// A swept setting of this run; nil where its variant ignores the parameter.
  func setting(_ name: String, _ scenario: ResultDocument.ScenarioFacts) -> Assignment? {
    point[name].map { Assignment(name, $0, unit: scenario.units[name] ?? .none) }
  }

  /// Whether it is this variant's at `point`, as far as the variant heeds what is swept.
  func stands(at point: [String: ParameterValue]) -> Bool { self.point.allSatisfy { point[$0.key] == $0.value } }
}

extension Assignment {
  /// Its value as people write it.
  var valueText: String {
    switch value {
    case .integer(let number): unit == .none ? number.grouped : Quantity(Double(number), unit).description
    case .text(let text): text
    }
  }
}

extension ResultDocument {
  /// What the ratios of a table refer to, as its heading says; nil for none.
  var reference: String? { scenario.baseline ?? (scenario.seeksBest == true ? "the best" : nil) }

  /// The best run of all by a metric.
  func best(by metric: String) -> RunFacts? {
    let candidates = runs.compactMap { run -> (run: RunFacts, facts: MetricFacts)? in
      guard let facts = run.metrics[metric], facts.better != .neither else { return nil }
      return (run, facts)
    }
    let best = candidates.min { $0.facts.isBetter(than: $1.facts) }
    return best?.run
  }

  /// `run` against the baseline at its point, else the best, of as many rounds as both have; nil where they cannot be
  /// paired.
  func contrast(_ run: RunFacts, by metric: String) -> ConfidenceInterval? {
    let reference = scenario.baseline.map { name in runs.first { $0.variant == name && $0.stands(at: run.point) } }
    guard let other = reference ?? best(by: metric), other.variant != run.variant || other.point != run.point,
      let left = run.metrics[metric]?.rounds, let right = other.metrics[metric]?.rounds,
      left.count == right.count
    else { return nil }
    return ConfidenceInterval.ofRatio(zip(left, right).map { ($0.value, $1.value) }, seed: seed)
  }

  /// The run of each variant that is best by a metric, in the order of the variants; where nothing is swept its only one.
  func bestRuns(by metric: String) -> [RunFacts] {
    scenario.variants.compactMap { variant in
      let measured = runs.filter { $0.variant == variant.name }.compactMap { run in
        run.metrics[metric].map { (run: run, facts: $0) }
      }
      let best = measured.min { $0.facts.isBetter(than: $1.facts) }
      return best?.run
    }
  }

  /// The number of a variant's colour.
  func color(of variant: String) -> Int { scenario.variants.firstIndex { $0.name == variant } ?? 0 }
}

extension ResultDocument.MetricFacts {
  /// Whether it is the one to choose; of metrics that neither way is better, the lower.
  func isBetter(than other: Self) -> Bool { better == .higher ? typical > other.typical : typical < other.typical }

  /// The geometric mean of its rounds, or their median where one is not positive.
  var typical: Double {
    let values = rounds.map(\.value)
    guard !values.isEmpty, values.allSatisfy({ $0 > 0 }) else { return Summary(values)?.p50 ?? p50.value }
    return exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
  }
}
