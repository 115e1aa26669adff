import Laboratory

/// What claims are to the sentences of the documents, in words.
enum Sides {
  /// Of one claim: `for guide.3, against guide.19`, or that it is of the lesson alone.
  static func text(bears: [String], contradicts: [String]) -> String {
    let sides = [("for", bears), ("against", contradicts)].filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.joined(separator: ", "))" }
    return sides.isEmpty ? "of the lesson" : sides.joined(separator: ", ")
  }

  /// Of several, by how many sentences each of them grades: `15 on sentences of the documents, 8 of the lesson alone`.
  static func counts(_ grades: [Int]) -> String {
    let graded = grades.count { $0 > 0 }
    return [
      graded > 0 ? "\(graded) on sentences of the documents" : nil,
      graded < grades.count ? "\(grades.count - graded) of the lesson alone" : nil,
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension ClaimFacts {
  /// What it is to the sentences of the documents.
  var sides: String { Sides.text(bears: bears ?? [], contradicts: contradicts ?? []) }
  /// How many of them it grades.
  var gradeCount: Int { (bears ?? []).count + (contradicts ?? []).count }
}
