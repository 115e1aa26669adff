import Laboratory

extension Verdict {
  /// The verdict with its mark, in its colour.
  func text(_ style: TextStyle) -> String {
    let (mark, ink): (String, Ink) =
      switch self {
      case .held, .witnessed, .supported: (style.sign("✓", "+"), .good)
      case .violated, .notWitnessed: (style.sign("✗", "x"), .bad)
      case .refuted: (style.sign("✗", "x"), .care)
      case .inconclusive: ("?", .care)
      case .unavailable: ("-", .quiet)
      }
    return ink("\(mark) \(rawValue)".padded(to: 15), style)
  }
}
