import Laboratory
import Measurement

/// The words about groups beside a baseline.
extension AnswerWording {
  /// Returns words about groups beside a baseline: `Compared with queue, faster: mutex (2.1x to 440x, at hold 0
  /// ns and 1 us), actor (1.2x, everywhere); slower: barrier (up to 1.3x)`. A run is named only for the
  /// settings at which it is significantly different. Returns nil if no run is.
  func againstBaseline(_ groups: [AnswerGroup]) -> String? {
    guard let baseline = index.document.scenario.baseline else { return nil }
    let contrasts = groups.flatMap { group in
      group.runs.filter { names.variant($0) != baseline }.compactMap { run in
        comparison.contrasts[run].map { (name: names([run], of: group.runs), contrast: $0, group: group) }
      }
    }.grouped(by: \.name)
    let isMoreBetter = metric.better == .higher
    let parts = [isMoreBetter, !isMoreBetter].compactMap { isMore -> String? in
      let texts = contrasts.compactMap { name, all -> (text: String, count: Int, factor: Double)? in
        let found = all.filter { $0.contrast.isDistinct == true && ($0.contrast.ratio > 1) == isMore }
        guard let most = found.map(\.contrast).max(by: { $0.factor < $1.factor }) else { return nil }
        // A program that replaces the baseline must know where that is better.
        guard isMore == isMoreBetter || groups.count == 1 else {
          return ("\(name) (up to \(Multiple(most).text))", found.count, most.factor)
        }
        let place = found.count == groups.count ? "everywhere" : "at \(places(found.map(\.group), of: groups))"
        let multiples = Self.multiples(found.map { Multiple($0.contrast) })
        return ("\(name) (\(multiples)\(groups.count == 1 ? "" : ", \(place)"))", found.count, most.factor)
      }.sorted { ($0.count, $0.factor) > ($1.count, $1.factor) }
      return texts.isEmpty
        ? nil
        : "\(isMore == isMoreBetter ? metric.betterWord : metric.worseWord): \(texts.map(\.text).abridged(to: ComparisonAnswer.mostNames))"
    }
    return parts.isEmpty ? nil : "Compared with \(baseline), \(parts.joined(separator: "; "))"
  }
}
