import Measurement
import Platform

/// A change to a file, as a line.
public enum WatchReport {
  /// `  1.204 s  replaced  notes.txt  512 B -> 530 B`, the time counted from `start`.
  public static func line(_ event: PathEvent, since start: UInt64, _ style: TextStyle) -> String {
    let seconds = Double(event.time > start ? event.time - start : 0) / 1e9
    let time = Quantity.fixed(seconds, decimals: 3)
    let ink: Ink =
      switch event.kind {
      case .deleted, .overflow: .bad
      case .renamed, .replaced: .care
      case .created: .good
      case .write, .extend, .attrib, .link: .name
      }
    var line = String(repeating: " ", count: max(0, 8 - time.count)) + time + " s  "
    line += ink(event.kind.rawValue.padded(to: 8), style) + "  " + event.path
    if event.kind == .overflow { line += "the kernel's queue was full: changes are missing here" }
    let sizes = [event.previousSize, event.size].map { $0.map { Quantity(Double($0), .bytes).description } }
    switch (sizes[0], sizes[1]) {
    case (let before?, let after?) where before != after: line += Ink.quiet("  \(before) -> \(after)", style)
    case (nil, let after?): line += Ink.quiet("  \(after)", style)
    default: break
    }
    return line + "\n"
  }
}
