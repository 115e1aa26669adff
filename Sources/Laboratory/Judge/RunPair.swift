import Measurement

/// A run that a check refers to, and the run of the check's other side if the other side is also a figure.
struct RunPair {
  let subject: Check.Reference
  let run: VariantRun
  let other: VariantRun?
  /// The number of cores that the operand `cores` of a check stands for.
  let cores: Double
  /// The trials of the other run, by round. A dictionary keeps the lookup fast, since a run may have 10,000 rounds.
  private let partners: [Int: TrialRecord]

  init(subject: Check.Reference, run: VariantRun, other: VariantRun? = nil, cores: Double) {
    self.subject = subject
    self.run = run
    self.other = other
    self.cores = cores
    partners = Dictionary(firstOf: (other?.trials ?? []).map { ($0.round, $0) })
  }

  /// The runs of both sides of the check.
  var runs: [VariantRun] { [run, other].compactMap(\.self) }

  /// Returns the value of an operand; nil if there is no value. The figure of ``subject`` is from `trial`, and any
  /// other figure is from the other run's trial of the same round.
  func value(_ operand: Check.Operand, in trial: TrialRecord) -> Double? {
    switch operand {
    case .quantity(let value, _): value
    case .cores: cores
    case .scaled(let factor, let inner): value(inner, in: trial).map { $0 * factor }
    case .reference(let reference):
      (reference == subject ? trial : partner(of: trial))?.figure(reference.metric, reference.statistic)
    }
  }

  /// Returns the trial of the other run in the same round; nil if the other run has no trial in this round.
  func partner(of trial: TrialRecord) -> TrialRecord? { partners[trial.round] }
}

extension Results {
  /// Returns the runs that a check refers to: each run that the first figure includes, paired with each comparable run
  /// that the second figure includes. Two runs are comparable if all settings that both runs use have equal values,
  /// except the settings that the check names. A run that both figures include is paired only with itself. If the check
  /// has no second figure, the runs are not paired.
  func checkedRuns(_ check: Check) -> [RunPair] {
    guard let subject = check.references.first else { return [] }
    // A check does not refer to a variant without the metric. A variant that should have measured the metric, but hung,
    // trapped or is broken, violates a guarantee.
    let referenced = runs(of: subject).filter { $0.variant.canRecord(subject.metric) }
    guard let object = check.references.dropFirst().first(where: { $0 != subject }) else {
      return referenced.map { RunPair(subject: subject, run: $0, cores: cores(in: check, of: $0)) }
    }
    let named = Set((subject.point + object.point).map(\.name))
    let candidates = runs(of: object)
    return referenced.flatMap { run in
      let same = candidates.first { $0.label == run.label }
      let others = same.map { [$0] } ?? candidates.filter { run.isComparable(to: $0, except: named) }
      return others.map { RunPair(subject: subject, run: run, other: $0, cores: cores(in: check, of: run)) }
    }
  }

  /// Returns the number of cores that trials of `run` may use. If the check states an upper bound in cores, returns the
  /// number of online cores, which may be larger.
  private func cores(in check: Check, of run: VariantRun) -> Double {
    let machine = machine.confined(to: run.cores)
    let isUpperBound =
      switch check.relation {
      case .less, .atMost: check.right.isOfCores
      case .greater, .atLeast: check.left.isOfCores
      case .equal, .different: false
      }
    return Double(isUpperBound ? machine.poolWidth ?? machine.cores : machine.cores)
  }
}

extension VariantRun {
  /// Returns whether all settings that this run and `other` use have equal values, except the settings in `named`.
  fileprivate func isComparable(to other: VariantRun, except named: Set<String>) -> Bool {
    other.point.settings.allSatisfy { setting in
      named.contains(setting.name) || point[setting.name].map { $0 == setting.value } ?? true
    }
  }
}
