import Laboratory

extension ScenarioOutline {
  /// Creates the outline of a completely parsed scenario.
  public init(_ experiment: Experiment) {
    self.init(
      name: experiment.name, pattern: experiment.pattern.implementation, title: experiment.title, tags: experiment.tags,
      claims: experiment.claims.map {
        Claim(
          says: $0.says, bears: $0.bears, contradicts: $0.contradicts, kind: $0.kind, check: $0.check.text)
      })
  }
}
