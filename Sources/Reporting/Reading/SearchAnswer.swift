import Laboratory
import Measurement

/// What a search for the best setting comes to, in one sentence: which setting, and which others the rounds do not tell
/// from it.
struct SearchAnswer {
  let text: String

  /// More problems than these have no place in a sentence: the tables tell of them.
  private static let most = 3

  /// Nil where there is no best, or no interval yet to tell it from the others.
  init?(_ reading: Reading) {
    guard let standings = reading.standings, let metric = reading.headline, !standings.bests.isEmpty else { return nil }
    let index = reading.index
    let document = reading.document
    let measured = document.runs.indices.filter { document.runs[$0].metrics[metric.name] != nil }
    let others = measured.filter { !standings.bests.contains($0) }
    guard !others.isEmpty else { return nil }
    let isCertain = reading.rounds >= ConfidenceInterval.fewest
    if isCertain, others.allSatisfy(standings.nearBest.contains) {
      text = "No \(Self.ranges(index, measured)) stands out: none differs significantly from the best."
      return
    }
    let bests = measured.filter(standings.bests.contains)
    guard bests.count <= Self.most else { return nil }
    text = bests.map { best in
      // What does it wrong was no candidate.
      let group = measured.filter {
        $0 != best && standings.isCompared($0, with: best, document) && (!index.isBroken($0) || index.isBroken(best))
      }
      let near = group.filter(standings.nearBest.contains)
      let unclear = group.filter(standings.unclear.contains)
      let samples = document.runs[best].metrics[metric.name]
      let figure =
        (samples?.median.map { Quantity($0, metric.unit).description } ?? "-")
        + (samples.map(index.isNearFloor) == true ? " (within twice the noise floor)" : "")
      var says = "Best \(metric.name): \(index.labels[best]), \(figure)"
      if isCertain {
        // Where nothing else was shown to be worse, none is the best.
        if near.count + unclear.count == group.count {
          says =
            "\(metric.better == .higher ? "Highest" : "Lowest") median \(metric.name): \(index.labels[best]), \(figure)"
        }
        if !near.isEmpty { says += "; not significantly different: \(Self.list(index, near))" }
        if !unclear.isEmpty { says += "; too noisy to rank: \(Self.list(index, unclear))" }
      }
      return says + "."
    }.joined(separator: " ")
  }

  /// `stride (1 … 4096)`
  private static func ranges(_ index: RunIndex, _ runs: [Int]) -> String {
    let ranges = index.swept.map { parameter -> String in
      let values = runs.compactMap { index.document.runs[$0].point[parameter.name] }.grouped(by: \.self).map(\.key)
      guard let first = values.first, let last = values.last, values.count > 1 else { return parameter.name }
      return "\(parameter.name) (\(parameter.describe(first)) \(Signs.range) \(parameter.describe(last)))"
    }
    return ranges.isEmpty ? "variant" : ranges.joined(separator: " or ")
  }

  /// Some runs by name, and how many more.
  private static func list(_ index: RunIndex, _ runs: [Int]) -> String {
    let most = 4
    return runs.prefix(most).map { index.labels[$0] }.joined(separator: ", ")
      + (runs.count > most ? " and \(runs.count - most) more" : "")
  }
}

extension Standings {
  /// Whether two runs are in one group, of which one is the best.
  fileprivate func isCompared(_ run: Int, with best: Int, _ document: ResultDocument) -> Bool {
    groupNames.allSatisfy { document.runs[run].point[$0] == document.runs[best].point[$0] }
  }
}
