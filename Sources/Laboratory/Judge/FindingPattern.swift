/// A pattern that computes findings in addition to the claims, such as a fitted model or a best setting.
public protocol FindingPattern: Pattern {
  /// Returns the findings in `results`, which supplement the claims.
  func findings(in results: Results) -> [RunNote]
}

extension PatternDescription {
  /// Returns the pattern's findings in `results`; an empty array if the pattern computes no findings.
  public func findings(in results: Results) -> [RunNote] {
    (implementation as? any FindingPattern)?.findings(in: results) ?? []
  }
}
