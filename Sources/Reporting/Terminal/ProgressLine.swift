import Measurement
import Platform

/// The line that shows how far a run is.
public enum ProgressLine {
  /// One line of at most `style.width` cells: a bar, the count, what runs, and the time left as far as it can be told.
  public static func render(done: Int, total: Int, elapsed: Double, label: String, style: TextStyle) -> String {
    let share = total > 0 ? Double(done) / Double(total) : 0
    var text = "\(done)/\(total)  \(label.inLine)"
    // Before a few trials have ended, the time left would be a guess.
    if done >= 3 {
      let left = (elapsed / share - elapsed).rounded()
      text += left < 1 ? "  less than 1 s left" : "  \(Quantity(left * 1e9, .nanoseconds)) left"
    }
    let cells = min(24, style.width - text.displayWidth - 5)
    guard cells >= 6 else { return text.clipped(to: style.width - 1, style) }
    let filled = Int(share * Double(cells))
    let bar =
      String(repeating: style.sign("━", "#"), count: filled)
      + Ink.quiet(String(repeating: style.sign("─", "-"), count: cells - filled), style)
    return bar + "  " + text
  }
}
