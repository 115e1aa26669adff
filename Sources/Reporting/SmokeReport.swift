import Laboratory
import Measurement

/// A smoke run: a line a scenario, why a claim could not be judged, everything about those that failed.
public enum SmokeReport {
  /// What came of one scenario; a failing one is shown in full.
  public static func line(_ results: Results, strict: Bool, _ style: TextStyle) -> String {
    let counts = Verdict.allCases.compactMap { verdict -> String? in
      // Three rounds cannot grade performance, and need not say so five times.
      guard verdict != .inconclusive else { return nil }
      let count = results.judgements.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }
    let trials = results.runs.map(\.trials.count).reduce(0, +)
    let standing = Self.standing(of: results, strict: strict)
    let mark =
      switch standing {
      case .failed: Ink.bad(style.sign("✗", "x"), style)
      case .cut: Ink.care("!", style)
      case .notJudged: Ink.quiet("-", style)
      case .passed: Ink.good(style.sign("✓", "+"), style)
      }
    var text = "\(mark) " + Ink.name(results.experiment.name.padded(to: 22), style)
    text += " " + ((results.cut == nil ? [] : ["cut short"]) + counts).joined(separator: ", ")
    text +=
      Ink.quiet("  \(trials) trial\(trials == 1 ? "" : "s"), \(Quantity(results.seconds * 1e9, .nanoseconds))", style)
      + "\n"
    if standing == .failed { return text + "\n" + TerminalReport(style).render(results) + "\n" }
    // Claims of one variant mostly share a reason.
    let unavailable = results.judgements.filter { $0.verdict == .unavailable }
    for (reason, judgements) in unavailable.grouped(by: \.evidenceText) {
      let sentence = "\(judgements.map(\.claim.check.text).joined(separator: ", ")): \(reason)"
      for (index, line) in sentence.wrapped(to: max(20, style.width - 4)).enumerated() {
        text += (index == 0 ? "  - " : "    ") + Ink.quiet(line, style) + "\n"
      }
    }
    return text
  }

  private enum Standing {
    case passed, failed
    /// It ended before its time.
    case cut
    /// The machine did not allow a single claim to be judged.
    case notJudged
  }

  private static func standing(of results: Results, strict: Bool) -> Standing {
    let verdicts = results.judgements.map(\.verdict)
    if verdicts.contains(where: { $0.isFailure(strict: strict) }) { return .failed }
    if results.cut != nil { return .cut }
    return verdicts.isEmpty || verdicts.contains { $0 != .unavailable } ? .passed : .notJudged
  }

  /// The closing line: `5 passed, 0 failed`, and which were cut short, not judged or not run where some were.
  public static func summary(_ results: [Results], notRun: [String] = [], strict: Bool, _ style: TextStyle) -> String {
    let standings = results.map { standing(of: $0, strict: strict) }
    func names(_ wanted: Standing) -> [String] {
      zip(results, standings).filter { $0.1 == wanted }.map(\.0.experiment.name)
    }
    let rest = [("cut short", names(.cut)), ("not judged", names(.notJudged)), ("not run", notRun)]
      .filter { !$0.1.isEmpty }.map { ", \($0.0): \($0.1.joined(separator: ", "))" }
    let (passed, failed) = (names(.passed).count, names(.failed).count)
    return "\(passed) passed, \(failed) failed\(rest.joined())\n"
  }
}
