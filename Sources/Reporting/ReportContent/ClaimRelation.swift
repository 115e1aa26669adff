import Laboratory

/// The relation of claims to the sentences of the documents, in words.
enum ClaimRelation {
  /// Returns the sentences that a claim tests or contradicts, as text: `tests guide.3, contradicts guide.19`. If there
  /// are no such sentences, returns `the lab's own`.
  static func text(bears: [String], contradicts: [String]) -> String {
    let sides = [("tests", bears), ("contradicts", contradicts)].filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.joined(separator: ", "))" }
    return sides.isEmpty ? "the lab's own" : sides.joined(separator: ", ")
  }

  /// Returns the number of claims that test sentences, and the number of the lab's own claims: `7 test sentences of the
  /// documents (…), 18 are the lab's own`. A number of 0 is omitted. The parentheses contain the first sentence, and
  /// the command that shows the document of this sentence.
  ///
  /// - Parameter sentences: the identifiers of the sentences that each claim tests.
  static func counts(_ sentences: [[String]]) -> String {
    let tests = sentences.filter { !$0.isEmpty }
    let own = sentences.count - tests.count
    let first = tests.first?.first
    let place = first.map { id in
      " (\(id) …: see `\(Tool.command) documents \(id.prefix { $0 != "." })`)"
    }
    return [
      tests.isEmpty
        ? nil : "\(tests.count) test\(tests.count == 1 ? "s" : "") sentences of the documents\(place ?? "")",
      own > 0 ? "\(own) \(own == 1 ? "is" : "are") the lab's own" : nil,
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension ClaimFacts {
  /// The relation of the claim to the sentences of the documents, in words.
  var sides: String { ClaimRelation.text(bears: bears ?? [], contradicts: contradicts ?? []) }
  /// The identifiers of the sentences that the claim tests.
  var sentenceIDs: [String] { (bears ?? []) + (contradicts ?? []) }
}
