import Laboratory

extension Verdict {
  /// The colour of the verdict: green if the claim was borne out, red if it fails a run, yellow if it must be read with
  /// care.
  var color: SemanticColor {
    switch self {
    case .held, .witnessed, .supported: .good
    case .violated, .notWitnessed: .bad
    case .refuted, .inconclusive: .care
    case .unavailable: .quiet
    }
  }

  /// Returns the mark of the verdict.
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
  /// Returns the verdict with its mark, in its colour, as wide as the mark and `room` columns.
  func verdictText(_ style: TextStyle, room: Int = 0) -> String {
    verdict.color("\(verdict.mark(style)) \(word)".padded(to: room + 2), style)
  }
}
