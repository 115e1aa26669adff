import Measurement

/// A run that a check refers to, and the run of the check's other side if that side is a figure as well.
struct Match {
  let subject: Check.Reference
  let run: Run
  var other: Run?
  /// The value of `cores`.
  let cores: Double

  /// The runs of both sides.
  var runs: [Run] { [run, other].compactMap(\.self) }

  /// Returns the value of one side in a trial of the run, and in the other run's trial of the same round.
  func value(_ operand: Check.Operand, in trial: TrialRecord) -> Double? {
    switch operand {
    case .quantity(let value, _): value
    case .cores: cores
    case .scaled(let factor, let inner): value(inner, in: trial).map { $0 * factor }
    case .reference(let reference):
      (reference == subject ? trial : partner(of: trial))?.figure(reference.metric, reference.statistic)
    }
  }

  /// Returns the trial of the other run in the same round.
  func partner(of trial: TrialRecord) -> TrialRecord? { other?.trials.first { $0.round == trial.round } }
}

extension Results {
  /// Returns the runs that a check refers to, each paired with the runs that it is compared with. Runs are compared at
  /// equal values of all settings that both use, unless the check names others.
  func matches(_ check: Check) -> [Match] {
    guard let subject = check.references.first else { return [] }
    // A check does not refer to a variant that has no such metric. A variant that should have measured the metric and
    // did not (because it hung, trapped or is broken) has broken a guarantee.
    let spokenOf = runs(of: subject).filter { $0.variant.gives(subject.metric) }
    guard let object = check.references.dropFirst().first(where: { $0 != subject }) else {
      return spokenOf.map { Match(subject: subject, run: $0, cores: cores(in: check, of: $0)) }
    }
    let named = Set((subject.point + object.point).map(\.name))
    let candidates = runs(of: object)
    return spokenOf.flatMap { run in
      let same = candidates.first { $0.label == run.label }
      let others = same.map { [$0] } ?? candidates.filter { run.isComparable(to: $0, except: named) }
      return others.map { Match(subject: subject, run: run, other: $0, cores: cores(in: check, of: run)) }
    }
  }

  /// Returns the number of cores that trials of `run` may use. If the check sets a bound, the result is the largest
  /// number that Dispatch may use.
  private func cores(in check: Check, of run: Run) -> Double {
    let machine = machine.confined(to: run.cores)
    let isBound =
      switch check.comparison {
      case .less, .atMost: check.right.isOfCores
      case .greater, .atLeast: check.left.isOfCores
      case .equal, .different: false
      }
    return Double(isBound ? machine.poolWidth ?? machine.cores : machine.cores)
  }
}

extension Run {
  /// Returns whether this run and `other` have equal values of all settings that both use, except the named ones.
  fileprivate func isComparable(to other: Run, except named: Set<String>) -> Bool {
    other.point.settings.allSatisfy { setting in
      named.contains(setting.name) || point[setting.name].map { $0 == setting.value } ?? true
    }
  }
}
