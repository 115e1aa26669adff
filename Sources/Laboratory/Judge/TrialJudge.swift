import Measurement

/// The judge of a guarantee or an anomaly, by its trials. Each trial is judged separately.
struct TrialJudge {
  private let claim: Claim
  /// The trials that count for the verdict.
  private let trials: [Sides]
  /// The descriptions of the lost trials of an anomaly: trials that have no figure, are broken or were not tried; empty
  /// for a guarantee. A lost trial shows neither the anomaly nor its absence.
  private let lost: [String]
  /// Whether it suffices that the check is true for one variant in each round. The value is false if no trial counts.
  private let isAny: Bool
  /// The runs whose trials were all unavailable or stopped, although the machine meets the requirements of the runs;
  /// empty if `isAny` is true. These runs show neither that a guarantee holds nor that an anomaly does not occur.
  private let unseen: [VariantRun]
  private let isMeasured: Bool

  init(_ claim: Claim, in results: Results) {
    self.claim = claim
    let checked = results.checkedRuns(claim.check)
    let found = checked.flatMap { runs in
      runs.run.trials.compactMap { Sides(claim.check, runs, $0) }
    }
    isMeasured = !found.isEmpty
    if claim.kind == .anomaly {
      trials = found.filter { !$0.isLost }
      let untried = checked.map(\.run).grouped(by: \.label).compactMap(\.elements.first)
        .flatMap { run in run.trials.filter(\.outcome.kind.hasNoResult).map { (run: run, trial: $0) } }
      lost = (found.filter(\.isLost).map { (run: $0.run, trial: $0.trial) } + untried).map { run, trial in
        "\(run.label) \(trial.outcome.reason ?? trial.outcome.kind.rawValue)"
      }
    } else {
      (trials, lost) = (found, [])
    }
    isAny = !trials.isEmpty && claim.check.references.first?.scope == .any
    unseen =
      isAny ? [] : checked.flatMap(\.runs).grouped(by: \.label).compactMap(\.elements.first).filter(results.isUnseen)
  }

  /// The claim with its verdict and the evidence.
  var judgement: Judgement {
    guard isMeasured else { return unavailable(Evidence(reason: "no trial measured the figure")) }
    if !unseen.isEmpty, verdict == .held || verdict == .notWitnessed {
      let labels = unseen.map(\.label).abridged(to: 8)
      let reason = unseen.lazy.flatMap(\.trials).compactMap(\.outcome.detail).first ?? "time ran out"
      return unavailable(evidence("no trial showed \(labels): \(reason)"))
    }
    if verdict == .notWitnessed, let first = lost.first {
      var evidence = evidence("not seen, but \(lost.count) of \(trials.count + lost.count) trials were lost: \(first)")
      evidence.lost = lost.count
      return unavailable(evidence)
    }
    return Judgement(claim: claim, verdict: verdict, evidence: evidence)
  }

  private var met: [Sides] { trials.filter(\.isMet) }
  private var unmet: [Sides] { trials.filter { !$0.isMet } }

  private var verdict: Verdict {
    switch claim.kind {
    case .guarantee: isKept ? .held : .violated
    case .anomaly, .performance: met.isEmpty ? .notWitnessed : .witnessed
    }
  }

  private var isKept: Bool {
    guard isAny else { return unmet.isEmpty }
    return Dictionary(grouping: trials) { $0.trial.round }.values.allSatisfy { $0.contains(where: \.isMet) }
  }

  private func unavailable(_ evidence: Evidence) -> Judgement {
    Judgement(claim: claim, verdict: .unavailable, evidence: evidence)
  }

  private func evidence(_ reason: String) -> Evidence {
    Evidence(unit: claim.check.unit, trials: trials.count, met: met.count, reason: reason)
  }

  /// The evidence of the trials that violated a guarantee or showed an anomaly; for other verdicts, the evidence of all
  /// trials.
  private var evidence: Evidence {
    let shown = verdict == .violated ? unmet : verdict == .witnessed ? met : trials
    var evidence = Evidence(
      unit: claim.check.unit, trials: trials.count, met: met.count, lost: lost.count, example: met.first?.example,
      counterexample: unmet.first?.example)
    evidence.setSides(left: shown.compactMap(\.left), right: shown.compactMap(\.right))
    if verdict == .violated, let worst = unmet.first {
      let ended = worst.hasFigures ? "" : " \(worst.trial.outcome.kind.rawValue)"
      evidence.reason = "\(worst.run.label)\(ended) in round \(worst.trial.round + 1)"
    }
    return evidence
  }
}

/// The two sides of a check in one trial. If both sides are figures, the figures are from the same round.
private struct Sides {
  let run: VariantRun
  let trial: TrialRecord
  let left: Double?
  let right: Double?
  /// Whether the check is true for the two sides; false if a side has no value.
  let isMet: Bool

  /// Creates the two sides of a check in a trial; nil if the trial was unavailable or stopped, or if it completed
  /// without a figure that the check needs.
  init?(_ check: Check, _ runs: RunPair, _ trial: TrialRecord) {
    if trial.outcome.kind.hasNoResult { return nil }
    // A figure may be absent for a declared reason (``Metric/missingIf``), and a percentile is absent if there are too
    // few samples. The figure of the other side may be absent in this round for a reason of its own.
    let figures = [.reference(runs.subject), check.left, check.right].map { runs.value($0, in: trial) }
    if trial.outcome == .completed, figures.contains(nil) { return nil }
    (run, self.trial, left, right) = (runs.run, trial, figures[1], figures[2])
    isMet = if let left, let right { check.relation.holds(left, right) } else { false }
  }

  /// Whether both sides have a figure.
  var hasFigures: Bool { left != nil && right != nil }

  /// Whether the trial lacks a figure of the check, or is broken.
  var isLost: Bool { !hasFigures || trial.outcome.kind == .broken }

  var example: Evidence.Example {
    Evidence.Example(
      run: run.label, round: trial.round + 1, left: left,
      ended: trial.outcome == .completed ? nil : trial.outcome.kind.rawValue)
  }
}
