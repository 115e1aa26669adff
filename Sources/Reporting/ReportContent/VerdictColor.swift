import Laboratory

extension Verdict {
  /// The colour in which reports show the verdict.
  var color: SemanticColor {
    switch self {
    case .held, .witnessed, .supported: .good
    case .violated, .notWitnessed: .bad
    case .refuted, .inconclusive: .care
    case .unavailable: .quiet
    }
  }

  /// Returns the mark of the verdict: a tick, a cross, a question mark or a hyphen.
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
  /// The colour in which reports show the verdict. A verdict against a document is not shown as good news, although the
  /// claim came out as expected.
  var color: SemanticColor { isAgainstDocument ? .care : verdict.color }

  /// Returns the mark and the word of the verdict, in its colour. The word is padded to `room` columns. A verdict
  /// against a document has an exclamation mark.
  func verdictText(_ style: TextStyle, room: Int = 0) -> String {
    let mark = isAgainstDocument && verdict.isBorneOut ? "!" : verdict.mark(style)
    return color("\(mark) \(word)".padded(to: room + 2), style)
  }
}

extension SentenceStanding {
  /// The colour in which reports show the standing.
  var color: SemanticColor {
    switch self {
    case .borneOut: .good
    case .refuted: .bad
    case .partly, .undecided: .care
    case .inOneConfiguration, .byInference, .standIn, .byConstruction, .unavailable, .notRun, .untried: .quiet
    }
  }

  /// Returns the mark of the standing.
  func mark(_ style: TextStyle) -> String {
    switch self {
    case .borneOut: style.sign("✓", "+")
    case .refuted: style.sign("✗", "x")
    case .partly: style.sign("±", "~")
    case .undecided: "?"
    case .inOneConfiguration, .byInference, .standIn, .byConstruction, .unavailable, .notRun, .untried: "-"
    }
  }
}
