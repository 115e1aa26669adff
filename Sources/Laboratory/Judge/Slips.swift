extension Results {
  /// What the file asks and no trial of a run could answer: a percentile of fewer samples than it needs. An error in
  /// the file or in the settings, though only the run could show it; a trial that is short of samples by chance is
  /// none.
  public var slips: [InputError] {
    experiment.claims.compactMap { claim in
      let short = claim.check.references.lazy.compactMap { reference in
        runs(of: reference).lazy.compactMap { $0.shortage(for: reference) }.first
      }
      return short.first.map { InputError("check '\(claim.check.text)': \($0)", at: experiment.name) }
    }
  }
}

extension Run {
  /// Why no trial of this run can have the figure; nil where one had it, and where none was measured.
  func shortage(for reference: Check.Reference) -> String? {
    guard let statistic = reference.statistic else { return nil }
    let counts = trials.compactMap { $0.observation.samples(reference.metric.name)?.summary?.count }
    guard let most = counts.max(), most < statistic.fewestSamples else { return nil }
    return "\(statistic.rawValue) needs \(statistic.fewestSamples) samples a trial, \(label) had at most \(most)"
  }
}
