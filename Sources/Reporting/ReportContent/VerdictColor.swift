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
  /// The colour in which reports show the verdict. A verdict against a document has the colour of a result that
  /// requires caution, even if the claim was borne out.
  var color: SemanticColor { isAgainstDocument ? .care : verdict.color }

  /// The word of the verdict, preceded by an exclamation mark if a claim against a document was borne out.
  var markedWord: String { isAgainstDocument && verdict.isBorneOut ? "! \(word)" : word }

  /// Returns the mark and the word of the verdict, in the colour of the verdict. The word is padded to `room` columns.
  func verdictText(_ style: TextStyle, room: Int = 0) -> String {
    let text = markedWord == word ? "\(verdict.mark(style)) \(word)" : markedWord
    return color(text.padded(to: room + 2), style)
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

  /// Returns the mark of the standing: a tick, a cross, a plus-minus sign, a question mark or a hyphen.
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
