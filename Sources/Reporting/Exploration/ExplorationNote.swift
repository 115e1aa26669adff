import Exploration
import Laboratory

extension RunNote {
  /// Creates a note about a run of a scenario from the results of exploring the scenario's variants; nil if no variant
  /// could be explored.
  public init?(exploring results: [ExplorationResult]) {
    let explored = results.filter { $0.obstacle == nil && $0.summary != nil }
    guard let pattern = explored.first?.pattern else { return nil }
    let broken = explored.filter { ($0.summary?.broken ?? 0) > 0 }
    let holding = explored.filter { $0.summary?.broken == 0 && $0.summary?.isComplete == true }
    let open = explored.filter { $0.summary?.broken == 0 && $0.summary?.isComplete == false }
    var parts: [String] = []
    let isAlways = { (result: ExplorationResult) in
      result.summary.map { $0.isComplete && $0.broken == $0.schedules } == true
    }
    let (always, sometimes) = (broken.filter(isAlways), broken.filter { !isAlways($0) })
    if !always.isEmpty { parts.append("every order of steps breaks \(Self.names(always))") }
    if !sometimes.isEmpty { parts.append("some order of steps breaks \(Self.names(sometimes))") }
    if !holding.isEmpty {
      let orders = holding.reduce(0) { $0 + ($1.summary?.schedules ?? 0) }
      let variants =
        holding.count == 1
        ? Self.names(holding) : "any of \(broken.isEmpty ? "" : "the other ")\(holding.count) explored variants"
      parts.append(
        orders == 1
          ? "the only order of steps does not break \(variants)"
          : "none of the \(orders.withCommas) orders breaks \(variants)")
    }
    if !open.isEmpty { parts.append("not all orders of \(Self.names(open)) were tried in the time") }
    let rest = results.filter { $0.obstacle != nil || $0.summary == nil }
    if !rest.isEmpty { parts.append("\(rest.count.counted("variant")) cannot be explored") }
    self.init(
      "explored",
      "explored in a model of Dispatch: \(parts.joined(separator: "; ")) (\(Tool.command) explore \(pattern))")
  }

  private static func names(_ results: [ExplorationResult]) -> String {
    results.map(\.variant.name).listed()
  }
}
