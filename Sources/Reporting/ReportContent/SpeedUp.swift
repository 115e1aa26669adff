import Laboratory
import Measurement

/// The speed-up of the headline metric with the number of cores, as tables and as a plot. The reference for a variant
/// at a setting is that variant at that setting on the smallest number of cores.
struct SpeedUp: Sendable {
  private let index: RunIndex
  private let metric: MetricFacts
  /// The number of cores, which is swept.
  private let cores: ParameterFacts
  /// The swept parameters that define the amount of work.
  private let problem: [ParameterFacts]
  /// The other swept parameters, including those of ``problem``.
  private let others: [ParameterFacts]
  /// The number of cores of the reference, which is the smallest.
  private let fewest: Int
  /// The larger numbers of cores, in ascending order.
  private let counts: [Int]
  /// The variants at all settings.
  private let all: [Scaling.Series]
  /// Each variant at its fastest setting. Little work hardly gains from cores, so these are the series of the largest
  /// amount of work, which are the most informative.
  private let fastest: [Scaling.Series]
  /// Whether any speed-up is certainly above 10 %. Work that no variant divides among the cores, such as a round trip
  /// or a sleep, has no ideal.
  private let hasGain: Bool

  /// The metric of the plot, which defines the name and the unit of the vertical axis.
  private static let plotted = MetricFacts(
    name: "speed-up", kind: .rate, unit: .none, better: .higher, amount: nil, says: "how many times as fast")

  /// Creates the tables and the plot; nil if cores are not swept, if the metric does not measure speed, or if there are
  /// no figures.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    guard let cores = index.swept.first(where: { $0.name == Cores.name }), let ranking = metric.better.ranking,
      metric.meaning.isSpeed
    else { return nil }
    let entries = index.document.runs.map { run in
      Comparison.Entry(variant: run.variant, point: run.point, figures: run.metrics[metric.name]?.roundFigures ?? [])
    }
    let problem = index.swept.filter(index.definesWork)
    let scaling = Scaling(entries, ranking, problem: problem.map(\.name))
    guard let fewest = scaling.series.map(\.fewest).min() else { return nil }
    (self.index, self.metric, self.cores, self.problem, self.fewest) = (index, metric, cores, problem, fewest)
    others = index.swept.filter { $0.name != Cores.name }
    let all = scaling.series.filter { $0.fewest == fewest }
    self.all = all
    fastest = all.filter { series in series.isFastest && problem.allSatisfy { $0.isMost(in: series.point) } }
    counts = Set(all.flatMap(\.steps).map(\.cores)).subtracting([fewest]).sorted()
    let speedUps = all.flatMap(\.steps).compactMap(\.speedup)
    hasGain = speedUps.contains { ($0.interval?.low ?? $0.ratio) > Self.gain }
  }

  /// The smallest ratio that counts as a gain; its reciprocal is the largest that counts as a loss.
  private static let gain = 1 + ConfidenceInterval.alikeDifference

  /// A table with every variant at every setting.
  var table: Table { table(all) }

  /// A table with every variant at its fastest setting.
  var briefTable: Table { table(all.count <= Self.mostRows ? all : fastest) }

  private func table(_ series: [Scaling.Series]) -> Table {
    let ideal =
      hasGain
      ? ", and, if there is room, the share of the ideal, in which all cores together are as many times as fast" : ""
    let omitted =
      series.count < all.count
      ? "; each variant at its fastest setting\(problem.isEmpty ? "" : " for the most work"), the others: --details"
      : ""
    let headings = counts.flatMap { count in
      [Table.Heading(count.counted("core"))]
        + (hasGain ? [Table.Heading(counts.count > 1 ? "of ideal on \(count)" : "of ideal", omission: 3)] : [])
    }
    return Table(
      title: "speed-up over \(fewest.counted("core"))",
      note: "how many times as fast (\(metric.name))\(ideal); paired rounds\(omitted)",
      keys: 1 + others.count, isGrid: false,
      headings: [.init("variant", .left)] + others.map { Table.Heading($0.name) } + headings,
      rows: series.map { series in
        let figures = counts.flatMap { count in
          (series.steps.first { $0.cores == count }.map { Self.cells($0, of: series) } ?? [.none, .none])
            .prefix(hasGain ? 2 : 1)
        }
        return Table.Row(
          needsCare: index.isBroken(series.steps[0].run),
          cells: [Cell(series.variant, .key)]
            + others.map { other in Cell(series.point[other.name].map(other.describe) ?? "-", .key) } + figures)
      })
  }

  /// A plot of every variant at its fastest setting.
  var curve: SweepCurve {
    let settings = [fewest] + counts
    return SweepCurve(
      Self.plotted, along: cores, settings: settings.map(ParameterValue.integer),
      series: fastest.map { series -> SweepCurve.Series in
        let ratios = settings.map { count in
          count == fewest ? 1 : series.steps.first { $0.cores == count }?.speedup?.ratio
        }
        return SweepCurve.Series(
          label: RunIndex.label(index.document.runs[series.steps[0].run], index.swept, without: [Cores.name]),
          variant: index.variants[series.variant] ?? 0,
          isBroken: index.isBroken(series.steps[0].run), isFlat: false,
          points: ratios.map { ratio in
            ratio.map { SweepCurve.Point(text: "\(Quantity.ratio($0))x", median: $0, rounds: nil) }
          })
      },
      figures: "ratios of paired rounds over \(fewest.counted("core"))",
      ideal: 1 / Double(fewest))
  }

  /// A sentence with the speed-up of each variant at its fastest setting, on the largest number of cores: `Speed-up on
  /// 2 cores over 1 core: apply with stride 64 1.93x and threads 1.90x.` Of many variants, the sentence contains those
  /// with the largest speed-ups and the one with the least. If no speed-up is certainly above 10 %, the sentence
  /// contains the largest speed-up alone, and the variants that are certainly slower on more cores. The value is nil
  /// for a single variant.
  var sentence: String? {
    guard let most = counts.last, fastest.count > 1 else { return nil }
    let chosen = others.filter { other in !problem.contains { $0.name == other.name } }
    let steps = fastest.compactMap { series in
      series.steps.first { $0.cores == most }?.speedup.map { speedUp in
        let settings = chosen.compactMap { other in series.point[other.name].map { RunNames.setting(other, $0) } }
        return (name: ([series.variant] + settings).joined(separator: " with "), speedUp: speedUp)
      }
    }.sorted { $0.speedUp.ratio > $1.speedUp.ratio }
    guard let last = steps.last, steps.count > 1 else { return nil }
    func text(_ step: (name: String, speedUp: Contrast)) -> String {
      let interval = step.speedUp.interval
      let figure = interval.flatMap { $0.isWide ? $0.plainEnds : nil } ?? "\(Quantity.ratio(step.speedUp.ratio))x"
      return "\(step.name) \(figure)"
    }
    let named =
      steps.count <= ComparisonAnswer.mostNames ? steps : steps.prefix(ComparisonAnswer.mostNames - 1) + [last]
    let texts = named.map(text)
    let list =
      named.count == steps.count ? texts.listed() : "\(texts.dropLast().joined(separator: ", ")), … \(text(last))"
    let amounts = problem.compactMap { parameter in parameter.most.map { RunNames.setting(parameter, $0) } }
    let place = amounts.isEmpty ? "" : " at \(amounts.joined(separator: ", "))"
    let words = "Speed-up on \(most.counted("core")) over \(fewest.counted("core"))\(place): "
    guard !hasGain else { return "\(words)\(list)." }
    // More cores can also make a variant slower.
    let slower = steps.filter { ($0.speedUp.interval?.high ?? $0.speedUp.ratio) < 1 / Self.gain }.map(\.name)
    let loss =
      slower.isEmpty ? "" : "; certainly slower on more cores: \(slower.listed(most: ComparisonAnswer.mostNames))"
    return "\(words)none is certainly above \(Quantity.ratio(Self.gain))x (the largest: \(text(steps[0])))\(loss)."
  }

  /// The maximum number of rows of a brief table with all settings.
  private static let mostRows = 12

  /// Returns the cells with the speed-up of a step and its share of the ideal: `1.93x ±2.1 %` and `97 % [95 … 99]`.
  private static func cells(_ step: Scaling.Step, of series: Scaling.Series) -> [Cell] {
    guard let speedup = step.speedup else { return [.none, .none] }
    func share(_ ratio: Double) -> String { Quantity.number(series.efficiency(ratio, step.cores).rounded()) }
    let text = "\(Quantity.ratio(speedup.ratio))x"
    guard let interval = speedup.interval else {
      return [Cell(text, [.ratio, .tooFewRounds]), Cell("\(share(speedup.ratio)) %")]
    }
    let ends = "[\(share(interval.low)) \(Signs.range) \(share(interval.high))]"
    return [
      Cell(
        "\(text) \(interval.isWide ? interval.plainEnds : interval.margin)",
        [.ratio, interval.isWide ? .ratioWithEnds : .ratioWithMargin]),
      Cell("\(share(speedup.ratio)) % \(ends)", .ratioWithEnds),
    ]
  }
}
