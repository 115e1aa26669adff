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

extension ClaimFacts {
  /// Its verdict with the mark, in its colour, as wide as the mark and `room` columns.
  func verdictText(_ style: TextStyle, room: Int = 0) -> String {
    verdict.ink("\(verdict.mark(style)) \(word)".padded(to: room + 2), style)
  }
}
