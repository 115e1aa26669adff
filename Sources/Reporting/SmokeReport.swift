import Laboratory
import Measurement

/// A smoke run: a line a scenario, why a claim could not be judged, everything about those that failed.
public enum SmokeReport {
  /// What came of one scenario; a failing one is shown in full.
  public static func line(_ results: Results, strict: Bool, _ style: TextStyle) -> String {
    let failed = results.judgements.contains { $0.verdict.isFailure(strict: strict) }
    let counts = Verdict.allCases.compactMap { verdict -> String? in
      // Three rounds cannot grade performance, and need not say so five times.
      guard verdict != .inconclusive else { return nil }
      let count = results.judgements.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }
    let trials = results.runs.map(\.trials.count).reduce(0, +)
    let mark =
      if failed { Ink.bad(style.sign("✗", "x"), style) } else if results.cut != nil { Ink.care("!", style) } else {
        Ink.good(style.sign("✓", "+"), style)
      }
    var text = "\(mark) " + Ink.name(results.experiment.name.padded(to: 22), style)
    text += " " + ((results.cut == nil ? [] : ["cut short"]) + counts).joined(separator: ", ")
    text +=
      Ink.quiet("  \(trials) trial\(trials == 1 ? "" : "s"), \(Quantity(results.seconds * 1e9, .nanoseconds))", style)
      + "\n"
    if failed { return text + "\n" + TerminalReport(style).render(results) + "\n" }
    for judgement in results.judgements where judgement.verdict == .unavailable {
      let reason = "\(judgement.claim.check.text): \(judgement.evidenceText)"
      for (index, line) in reason.wrapped(to: max(20, style.width - 4)).enumerated() {
        text += (index == 0 ? "  - " : "    ") + Ink.quiet(line, style) + "\n"
      }
    }
    return text
  }

  /// The closing line: `5 passed, 0 failed`, and which were cut short or not run where some were.
  public static func summary(_ results: [Results], notRun: [String] = [], strict: Bool, _ style: TextStyle) -> String {
    let failed = results.count { $0.judgements.contains { $0.verdict.isFailure(strict: strict) } }
    let cut = results.filter { $0.cut != nil }.map(\.experiment.name)
    let passed = results.count { result in
      result.cut == nil && !result.judgements.contains { $0.verdict.isFailure(strict: strict) }
    }
    let rest = [("cut short", cut), ("not run", notRun)].filter { !$0.1.isEmpty }.map {
      ", \($0.0): \($0.1.joined(separator: ", "))"
    }
    return "\(passed) passed, \(failed) failed\(rest.joined())\n"
  }
}
