import Laboratory
import Measurement

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The charts of a result document.
struct Figures {
  let document: ResultDocument

  private var scenario: ResultDocument.ScenarioFacts { document.scenario }
  /// The shown metrics that some run measured.
  private var shown: [String] { scenario.show.filter { name in document.runs.contains { $0.metrics[name] != nil } } }

  /// Every figure with its caption, sweeps first.
  var all: [Markup] {
    sweeps + shown.filter { kind($0) == .latency }.flatMap { [percentiles($0), histogram($0)] }.compactMap(\.self)
  }

  private func kind(_ metric: String) -> Metric.Kind? {
    document.runs.lazy.compactMap { $0.metrics[metric]?.kind }.first
  }
  private func better(_ metric: String) -> Metric.Better? {
    document.runs.lazy.compactMap { $0.metrics[metric]?.better }.first
  }
  private func unit(_ metric: String) -> Unit {
    document.runs.lazy.compactMap { $0.metrics[metric]?.unit }.first ?? .none
  }

  private func figure(
    _ title: String, _ says: String, _ drawing: Markup, _ runs: [ResultDocument.RunFacts], along: String? = nil
  ) -> Markup {
    let keys = runs.map { run -> Markup in
      "<span class=\"key c\(document.color(of: run.variant) % Chart.colors)\">\(run.label(scenario, without: along))</span> "
    }
    return """
      <figure><figcaption><b>\(title)</b> \(says)</figcaption>\(drawing)<p class="keys">\(keys)</p></figure>

      """
  }

  // MARK: Sweeps

  /// The figures of a variant along the swept parameter with the most values, at the best of what else is swept.
  private var sweeps: [Markup] {
    guard let along = scenario.sweep.max(by: { values(of: $0).count < values(of: $1).count }) else { return [] }
    let settings = values(of: along)
    guard settings.count > 1 else { return [] }
    return shown.filter { better($0) != .neither }.prefix(4).compactMap { sweep($0, along, settings) }
  }

  private func values(of parameter: String) -> [ParameterValue] {
    var values: [ParameterValue] = []
    for run in document.runs { if let value = run.point[parameter], !values.contains(value) { values.append(value) } }
    return values
  }

  private func sweep(_ metric: String, _ along: String, _ values: [ParameterValue]) -> Markup? {
    let numbers = values.map { if case .integer(let number) = $0 { Double(number) } else { Double.nan } }
    // Words stand at equal steps.
    let places = numbers.contains { $0.isNaN } ? values.indices.map { Double($0) } : numbers
    let best = document.bestRuns(by: metric)
    let lines = best.map { run -> Chart.Line in
      let points = zip(places, values).compactMap { place, value -> Chart.Point? in
        var point = run.point
        if point[along] != nil { point[along] = value }
        let there = document.runs.first { $0.variant == run.variant && $0.point == point }
        guard let rounds = there?.metrics[metric]?.rounds.map(\.value), let mean = Summary(rounds)?.mean else {
          return nil
        }
        let interval = ConfidenceInterval.ofMean(rounds, seed: document.seed)
        let label = there.map { $0.label(scenario) } ?? run.variant
        return Chart.Point(
          x: place, y: mean, low: interval?.low, high: interval?.high,
          says: "\(label): \(Quantity(mean, unit(metric)))")
      }
      return Chart.Line(color: document.color(of: run.variant), points: points, isMarked: true)
    }
    let heights = lines.flatMap(\.points).flatMap { [$0.y, $0.low ?? $0.y, $0.high ?? $0.y] }
    guard heights.count > 1, let low = places.min(), let high = places.max() else { return nil }
    let isLog = low > 0 && high / low > 8
    let margin = isLog ? 1.2 : 0.05 * (high - low)
    let names = values.map { Assignment(along, $0, unit: scenario.units[along] ?? .none).valueText }
    let across = Chart.Axis(
      low: isLog ? low / margin : low - margin, high: isLog ? high * margin : high + margin, isLog: isLog,
      ticks: thinned(Array(zip(places, names)), isLog: isLog))
    let chart = Chart(
      title: "\(metric) by \(along)", says: "mean of the rounds with its 99 % interval", across: across,
      up: Chart.Axis(heights, unit(metric)), lines: lines)
    return figure(chart.title, chart.says, chart.svg, best, along: along)
  }

  /// Of many ticks those that have room.
  private func thinned(_ ticks: [(Double, String)], isLog: Bool) -> [(value: Double, label: String)] {
    let sorted = ticks.sorted { $0.0 < $1.0 }
    guard let low = sorted.first?.0, let high = sorted.last?.0, low < high else { return sorted.map { ($0.0, $0.1) } }
    var kept: [(value: Double, label: String)] = []
    var end = -1.0
    for (value, label) in sorted {
      let place = isLog ? LogScale.position(value, low: low, high: high) : (value - low) / (high - low)
      let half = 0.01 * Double(label.count)
      guard place - half > end else { continue }
      kept.append((value, label))
      end = place + half + 0.01
    }
    return kept
  }

  // MARK: Distributions

  private func sampled(_ metric: String) -> [ResultDocument.RunFacts] {
    document.bestRuns(by: metric).filter { $0.metrics[metric].map { $0.count >= 30 } ?? false }
  }

  private var bestOnly: String { scenario.sweep.isEmpty ? "" : ", each variant at its best setting" }

  /// Percentile curves on the axis of the HdrHistogram plotter: each further nine takes the same room.
  private func percentiles(_ metric: String) -> Markup? {
    let runs = sampled(metric)
    let lines = runs.compactMap { run -> Chart.Line? in
      guard let facts = run.metrics[metric] else { return nil }
      let total = facts.histogram.reduce(0) { $0 + $1[1].value }
      var seen = 0.0
      let points = facts.histogram.map { pair -> Chart.Point in
        seen += pair[1].value
        // The largest of n samples stands where half a sample would be above it, not at infinity.
        let above = max(1 - seen / total, 0.5 / total)
        return Chart.Point(x: -log10(above), y: pair[0].value, says: "")
      }
      let start = facts.histogram.first.map { Chart.Point(x: 0, y: $0[0].value, says: "") }
      return Chart.Line(
        color: document.color(of: run.variant), points: [start].compactMap(\.self) + points, isMarked: false)
    }
    guard let end = lines.flatMap(\.points).map(\.x).max(), end > 0 else { return nil }
    let ticks: [(value: Double, label: String)] = [
      (0, "0 %"), (-log10(0.5), "50 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"), (5, "99.999 %"),
    ]
    let chart = Chart(
      title: "percentiles of \(metric)", says: "what share of the samples is at most this\(bestOnly)",
      across: Chart.Axis(low: 0, high: end, isLog: false, ticks: ticks.filter { $0.value <= end }),
      up: Chart.Axis(lines.flatMap(\.points).map(\.y), unit(metric)), lines: lines)
    return figure(chart.title, chart.says, chart.svg, runs)
  }

  /// Each distribution as a hill of its own on a common logarithmic axis.
  private func histogram(_ metric: String) -> Markup? {
    let runs = sampled(metric)
    let values = runs.flatMap { $0.metrics[metric]?.histogram.map { $0[0].value } ?? [] }.filter { $0 > 0 }
    guard let least = values.min(), let most = values.max() else { return nil }
    let hills = runs.compactMap { $0.metrics[metric] }.map { facts in
      facts.histogram.map { (value: $0[0].value, count: $0[1].value) }
    }
    let ridges = Ridges(
      hills: zip(runs, hills).map { (color: document.color(of: $0.variant), pairs: $1) },
      axis: Chart.Axis([least, max(most, least * 10)], unit(metric)))
    return figure("distribution of \(metric)", "logarithmic\(bestOnly)", ridges.svg, runs)
  }
}

/// Histograms one above the other, each as high as its row.
private struct Ridges {
  let hills: [(color: Int, pairs: [(value: Double, count: Double)])]
  let axis: Chart.Axis

  private static let (width, row, bins) = (480.0, 44.0, 96)
  private static let side = 10.0

  var svg: Markup {
    let height = Self.row * Double(hills.count)
    let ticks = axis.ticks.enumerated().filter { axis.ticks.count < 8 || $0.offset.isMultiple(of: 3) }.map {
      _, tick -> Markup in
      let x = n(Self.side + axis.position(tick.value) * (Self.width - 2 * Self.side))
      return """
        <line class="grid" x1="\(x)" x2="\(x)" y1="0" y2="\(n(height))"/>\
        <text class="tick mid" x="\(x)" y="\(n(height + 18))">\(tick.label)</text>
        """
    }
    let rows = hills.enumerated().map { index, hill -> Markup in
      var heights = [Double](repeating: 0, count: Self.bins)
      for pair in hill.pairs where pair.value > 0 {
        heights[min(max(Int(axis.position(pair.value) * Double(Self.bins)), 0), Self.bins - 1)] += pair.count
      }
      let tallest = heights.max() ?? 1
      let base = Self.row * Double(index + 1)
      let step = (Self.width - 2 * Self.side) / Double(Self.bins)
      let bars = heights.enumerated().filter { $0.element > 0 }.map { bin, count -> Markup in
        // The square root keeps a single slow sample visible beside thousands of fast ones.
        let tall = max(1.5, (Self.row - 6) * (count / max(tallest, 1)).squareRoot())
        return
          "<rect x=\"\(n(Self.side + Double(bin) * step))\" y=\"\(n(base - tall))\" width=\"\(n(step))\" height=\"\(n(tall))\"/>"
      }
      return
        "<g class=\"c\(hill.color % Chart.colors)\"><line class=\"grid\" x1=\"0\" x2=\"480\" y1=\"\(n(base))\" y2=\"\(n(base))\"/>\(bars)</g>"
    }
    return "<svg viewBox=\"0 0 480 \(n(height + 26))\" role=\"img\" aria-label=\"histograms\">\(ticks)\(rows)</svg>"
  }

  private func n(_ value: Double) -> String { Quantity.fixed(value, decimals: 1) }
}
