import Laboratory

/// The results of checking traces against the rules of `TraceRule`, as text.
public struct TraceCheck {
  private let traces: [Trace]
  private let checks: [(rule: TraceRule, trace: Trace, compliance: TraceRule.Compliance)]

  /// Checks some traces against all rules.
  public init(_ traces: [Trace]) {
    self.traces = traces
    checks = traces.flatMap { trace in TraceRule.allCases.map { ($0, trace, $0.compliance(of: trace)) } }
  }

  /// Whether at least one trace breaks a rule.
  public var isBroken: Bool { checks.contains { if case .broken = $0.compliance { true } else { false } } }

  /// Whether at least one rule could be judged.
  public var isJudged: Bool { checks.contains { $0.compliance != .notJudged } }

  /// Returns a line for each rule, followed by a line for each trace that breaks the rule. The last lines contain the
  /// reasons why records are missing.
  public func render(_ style: TextStyle) -> String {
    var lines: [String] = []
    for rule in TraceRule.allCases {
      let judged = checks.filter { $0.rule == rule && $0.compliance != .notJudged }
      let broken = judged.compactMap { found -> String? in
        if case .broken(let place) = found.compliance {
          "\(found.trace.scenario) \(found.trace.label): \(place)"
        } else {
          nil
        }
      }
      let mark =
        judged.isEmpty
        ? SemanticColor.quiet("not judged", style)
        : broken.isEmpty ? SemanticColor.good("kept      ", style) : SemanticColor.bad("broken    ", style)
      lines.append("\(mark)  \(rule.rawValue)" + (judged.isEmpty ? "" : " (in \(judged.count) traces)"))
      lines += broken.map { "            \($0)" }
    }
    for why in Set(traces.flatMap(\.missing).map(\.why)).sorted() { lines += style.wrapped(why) }
    return lines.map { $0 + "\n" }.joined()
  }
}
