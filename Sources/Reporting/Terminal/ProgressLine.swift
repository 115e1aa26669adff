import Laboratory
import Measurement

/// The progress line of a run.
public enum ProgressLine {
  /// Returns a line of fewer than `style.width` cells: a bar, the round, the number of finished trials, the elapsed and
  /// the remaining time, and `label`. If there is no room for the bar, the line contains only the text.
  ///
  /// If rounds are added until a precision is reached, the number of rounds is unknown. In this case, the bar shows the
  /// share of the available time, and the text shows the precision of the ratios so far.
  ///
  /// - Parameters:
  ///   - progress: the progress of the run.
  ///   - label: the text at the end of the line.
  ///   - style: the style of the line.
  public static func render(_ progress: RunProgress, label: String, style: TextStyle) -> String {
    let (elapsed, limit) = (progress.elapsed / .seconds(1), progress.limit.map { $0 / .seconds(1) })
    let share: Double
    var text = "round \(progress.round + 1)"
    if let precision = progress.precision {
      share = limit.map { min(1, elapsed / $0) } ?? 0
      let sign = style.sign("±", "+-")
      let reached = precision.reached.map { $0 < 10 ? ", \(sign)\(Self.percent($0))" : "" } ?? ""
      text += "\(reached), goal \(sign)\(Self.percent(precision.goal)), \(Self.seconds(elapsed))"
      if let limit { text += " of at most \(Self.seconds(limit))" }
    } else {
      share = progress.total > 0 ? Double(progress.done) / Double(progress.total) : 0
      text += ", \(progress.done)/\(progress.total), \(Self.seconds(elapsed))"
      // The estimate of the remaining time requires a few trials, and the last trial may take longer than the other
      // trials.
      let left = elapsed / max(share, 0.001) - elapsed
      if progress.done >= 3, left >= 1 { text += ", about \(Self.seconds(left)) left" }
    }
    text += "  \(label.inLine)"
    let cells = min(24, style.width - text.displayWidth - 5)
    guard cells >= 6 else { return text.clipped(to: style.width - 1, style) }
    let filled = Int(share * Double(cells))
    let bar =
      String(repeating: style.sign("━", "#"), count: filled)
      + SemanticColor.quiet(String(repeating: style.sign("─", "-"), count: cells - filled), style)
    return bar + "  " + text
  }

  /// Returns a duration as text in whole seconds, since milliseconds would change too often.
  private static func seconds(_ seconds: Double) -> String {
    seconds < 0.5 ? "0 s" : Quantity(seconds.rounded() * 1e9, .nanoseconds).description
  }

  private static func percent(_ share: Double) -> String {
    "\(Quantity.fixed(share * 100, decimals: share < 0.0995 ? 1 : 0)) %"
  }
}
