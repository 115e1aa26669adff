extension Results {
  /// An error for each check with a percentile that needs more samples than any trial of the run can have. The scenario
  /// file or the settings are wrong, although only the run could reveal that. A trial that has too few samples by
  /// chance causes no error.
  public var unanswerableChecks: [InputError] {
    experiment.claims.compactMap { claim in
      let short = claim.check.references.lazy.compactMap { reference in
        runs(of: reference).lazy.compactMap { $0.whyTooFewSamples(for: reference) }.first
      }
      return short.first.map { InputError("check '\(claim.check.text)': \($0)", at: experiment.name) }
    }
  }
}

extension VariantRun {
  /// Returns the reason why no trial of this run can produce the figure: each trial has too few samples for the
  /// statistic. Returns nil if a trial produced the figure, if no trial measured the metric, or if `reference` has no
  /// statistic.
  func whyTooFewSamples(for reference: Check.Reference) -> String? {
    guard let statistic = reference.statistic else { return nil }
    let counts = trials.compactMap { $0.observation.samples(reference.metric.name)?.summary?.count }
    guard let most = counts.max(), most < statistic.fewestSamples else { return nil }
    return "\(statistic.rawValue) needs \(statistic.fewestSamples) samples in each trial; \(label) had at most \(most)"
  }
}
