import Measurement

/// The gain from more cores. For each variant at each setting, the speed on more cores is compared over paired rounds
/// with the speed on the fewest cores. The lab's findings and all reports use this evaluation.
public struct Scaling: Sendable {
  /// A run on a number of cores.
  public struct Step: Sendable {
    /// The number of cores.
    public let cores: Int
    /// The index of the run in the compared entries.
    public let run: Int
    /// The speed of the run as a multiple of the speed on the fewest cores; nil for the run on the fewest cores, and if
    /// the rounds have no ratio.
    public let speedup: Contrast?
  }
  /// The runs of one variant at one setting, in ascending order of their numbers of cores.
  public struct Series: Sendable {
    /// The name of the variant.
    public let variant: String
    /// The swept settings other than the number of cores.
    public let point: [String: ParameterValue]
    /// The runs on the fewest cores and on at least one larger number of cores, in ascending order.
    public let steps: [Step]
    /// Whether the variant has its best figure for this amount of work at this setting.
    public let isFastest: Bool
    /// The scalability law of the throughput; nil if the series has too few steps, or if no law can be fitted.
    public let law: ScalabilityLaw?

    /// The smallest number of cores in the series. The other steps are compared with the step on this number of cores.
    public var fewest: Int { steps[0].cores }

    /// Returns a speed-up as a percentage of the ideal speed-up on `cores` cores.
    public func efficiency(_ speedup: Double, _ cores: Int) -> Double {
      100 * speedup * Double(fewest) / Double(cores)
    }
  }
  /// The series, in the order of the runs.
  public let series: [Series]

  /// Evaluates the entries that have figures and whose points include the number of cores. The result identifies each
  /// run by its index in `entries`.
  ///
  /// - Parameters:
  ///   - ranking: the direction in which a figure is better.
  ///   - problem: the names of the parameters that define the amount of work. Each amount has its own fastest setting.
  public init(_ entries: [Comparison.Entry], _ ranking: Ranking, problem: [String] = []) {
    let measured = entries.indices.filter { Cores.number(in: entries[$0].point) != nil && !entries[$0].figures.isEmpty }
    let groups = measured.grouped { index in
      SeriesKey(variant: entries[index].variant, point: entries[index].point.filter { $0.key != Cores.name })
    }.filter { $0.elements.count > 1 }
    let comparisons = groups.reduce(0) { $0 + $1.elements.count - 1 }
    func typical(_ run: Int) -> Double? { Ranking.typical(entries[run].figures.map(\.value)) }
    let fastest = Set(
      groups.grouped { group in
        SeriesKey(variant: group.key.variant, point: group.key.point.filter { problem.contains($0.key) })
      }.compactMap { _, groups in
        ranking.best(groups) { group in ranking.best(group.elements.compactMap(typical)) { $0 } }?.key
      })
    series = groups.map { key, runs in
      let runs = runs.map { (cores: Cores.number(in: entries[$0].point) ?? 1, run: $0) }.sorted { $0.cores < $1.cores }
      let steps = runs.map { cores, run -> Step in
        guard run != runs[0].run else { return Step(cores: cores, run: run, speedup: nil) }
        let (few, many) = (entries[runs[0].run].figures, entries[run].figures)
        let rounds = ranking == .lower ? PairedRounds(few, against: many) : PairedRounds(many, against: few)
        return Step(cores: cores, run: run, speedup: Contrast(rounds, among: comparisons))
      }
      let points = runs.compactMap { cores, run -> ScalabilityLaw.Point? in
        guard let figure = typical(run), figure > 0 else { return nil }
        return .init(cores: cores, throughput: ranking == .lower ? 1 / figure : figure)
      }
      return Series(
        variant: key.variant, point: key.point, steps: steps, isFastest: fastest.contains(key),
        law: ScalabilityLaw(fitting: points))
    }
  }

  private struct SeriesKey: Hashable {
    let variant: String
    let point: [String: ParameterValue]
  }
}

extension Results {
  /// Notes on the scalability law of the headline metric, one for each variant at its fastest setting. The array is
  /// empty if the figures do not show the gain from several cores, or if the headline metric is not a speed. A variant
  /// without a law has no note.
  var scalability: [RunNote] {
    guard showsGainOfCores, let headline = experiment.headline, let ranking = headline.better.ranking,
      headline.meaning.isSpeed
    else { return [] }
    let scaling = Scaling(runs.map { Comparison.Entry($0, figures: $0.figures(headline)) }, ranking)
    return scaling.series.filter(\.isFastest).compactMap { series -> RunNote? in
      guard let law = series.law else { return nil }
      let others = runs[series.steps[0].run].point.settings.filter { $0.name != Cores.name }
      let name = others.isEmpty ? series.variant : "\(series.variant)[\(Point(others).label)]"
      return RunNote(
        "scalability", law.sentence(for: name, upTo: series.steps.map(\.cores).max() ?? 1),
        runs: series.steps.map { runs[$0.run].label })
    }
  }
}

extension ScalabilityLaw {
  /// Returns the law in words. If the law does not fit the figures, returns a sentence that says so.
  ///
  /// - Parameter most: the largest number of cores that was measured. For more cores, the law only extrapolates.
  func sentence(for name: String, upTo most: Int) -> String {
    let error = "leave-one-out error \(Quantity.number((worst.error * 1000).rounded() / 10)) %"
    guard fits else {
      return "\(name): no law of scalability fits; \(error) at \(worst.cores.counted("core"))"
    }
    func share(_ value: Double) -> String { value == 0 ? "0" : Quantity.ratio(value) }
    var line =
      "\(name) on n cores, by the Universal Scalability Law: contention σ \(share(sigma)), coherence κ \(share(kappa))"
    if let fastest = self.most {
      let beyond = fastest > most ? ", beyond the \(most) that were tried" : ""
      line += "; slower again with more than \(fastest.counted("core"))\(beyond)"
    } else if sigma > 0 {
      line += "; at most \(Quantity.ratio(1 / sigma)) times as fast as on one core, however many there are"
    }
    return line + "; \(error)"
  }
}
