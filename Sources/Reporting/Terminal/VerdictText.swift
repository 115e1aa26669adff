import Laboratory

extension Verdict {
  /// Green for what was borne out, red for what fails a run, yellow for what is to be read with care.
  var ink: Ink {
    switch self {
    case .held, .witnessed, .supported: .good
    case .violated, .notWitnessed: .bad
    case .refuted, .inconclusive: .care
    case .unavailable: .quiet
    }
  }

  /// The verdict with its mark, in its colour, as wide as the mark and `room` columns.
  func text(_ style: TextStyle, room: Int = 0) -> String {
    ink("\(mark(style)) \(rawValue)".padded(to: room + 2), style)
  }

  /// The mark alone.
  func mark(_ style: TextStyle) -> String {
    switch self {
    case .held, .witnessed, .supported: style.sign("✓", "+")
    case .violated, .notWitnessed, .refuted: style.sign("✗", "x")
    case .inconclusive: "?"
    case .unavailable: "-"
    }
  }
}
