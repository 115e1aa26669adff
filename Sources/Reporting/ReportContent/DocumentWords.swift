import Laboratory

extension SourceDocuments.Era {
  /// The subject of the documents of this era, in words.
  var means: String {
    switch self {
    case .dispatch: "Grand Central Dispatch, 2010 to 2015"
    case .swiftConcurrency: "Swift Concurrency"
    }
  }

  /// The heading of the documents of this era: `Then: Grand Central Dispatch, 2010 to 2015`.
  var title: String { "\(rawValue.capitalized): \(means)" }
}

extension SourceDocuments.Strength {
  /// An explanation of how claims and trials decide a sentence of this strength.
  var means: String {
    switch self {
    case .always: "of every run: one counterexample refutes it"
    case .usually: "a tendency: judged by performance claims on the usual case"
    case .may: "possible: one sighting bears it out"
    case .recipe: "the document's own code or advice: it must work in every trial"
    }
  }
}

extension SentenceStanding {
  /// The meaning of the standing in words; nil if the name of the standing is clear without an explanation.
  var means: String? {
    switch self {
    case .refuted: "a claim speaks against it"
    case .partly: "one part holds, another does not"
    case .undecided: "a claim for it is open"
    case .borneOut: "every claim that could be judged speaks for it"
    case .inOneConfiguration: "every claim speaks for it, but it is about every run and was tried in one configuration"
    case .byInference: "follows from what was tried, which is not the sentence itself"
    case .standIn: "tried on the lab's replacement for what this system lacks"
    case .byConstruction: "would hold with any implementation of Dispatch"
    case .unavailable: "cannot be run on this system"
    case .notRun: "no kept run judged it; runs of smoke and compare do not count"
    case .untried: nil
    }
  }
}
