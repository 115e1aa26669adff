import Laboratory
import Measurement
import Platform

/// The lines that report changes to a file.
public enum WatchReport {
  /// Returns the line for a change: `  1.204 s  replaced  notes.txt  512 B -> 530 B`. The line begins with the time
  /// since `start`.
  public static func line(_ event: PathEvent, since start: UInt64, _ style: TextStyle) -> String {
    var line = head(event.kind, at: event.time, since: start, style) + event.path.inLine
    if event.kind == .overflow { line += "the kernel's queue was full: changes are missing here" }
    let sizes = [event.previousSize, event.size].map { $0.map { Quantity(Double($0), .bytes).description } }
    switch (sizes[0], sizes[1]) {
    case (let before?, let after?) where before != after: line += SemanticColor.quiet("  \(before) -> \(after)", style)
    case (nil, let after?): line += SemanticColor.quiet("  \(after)", style)
    default: break
    }
    return line + "\n"
  }

  /// Returns the line for changes that were dropped because the output was read too slowly.
  ///
  /// - Parameters:
  ///   - dropped: the number of dropped changes.
  ///   - time: the time at which the loss is reported, in nanoseconds.
  ///   - start: the time at which watching began, in nanoseconds.
  ///   - style: the style of the text.
  public static func line(dropped: Int, at time: UInt64, since start: UInt64, _ style: TextStyle) -> String {
    head(.overflow, at: time, since: start, style)
      + "the output is read too slowly: \(dropped) change\(dropped == 1 ? " is" : "s are") missing here\n"
  }

  private static func head(_ kind: PathEvent.Kind, at time: UInt64, since start: UInt64, _ style: TextStyle) -> String {
    let seconds = Quantity.fixed(Double(time > start ? time - start : 0) / 1e9, decimals: 3)
    let color: SemanticColor =
      switch kind {
      case .deleted, .overflow: .bad
      case .renamed, .replaced: .care
      case .created: .good
      case .write, .extend, .attrib, .link: .name
      }
    return String(repeating: " ", count: max(0, 8 - seconds.count)) + seconds + " s  "
      + color(kind.rawValue.padded(to: 8), style) + "  "
  }
}
