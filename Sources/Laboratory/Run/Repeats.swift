/// A policy that repeats trials that found no second core, as long as enough of the repetitions find a second core.
///
/// A trial looks for the core before it times a loop, so a repetition does not prefer one figure to another. On a busy
/// machine, the runs of all variants then consist of trials under the same conditions.
struct Repeats {
  /// The largest number of attempts for one trial.
  private static let most = 3
  /// The number of trials without a second core after which a repetition is tried even if the earlier repetitions were
  /// in vain. The other programs may have ended in the meantime.
  private static let retryInterval = 16
  /// The number of repetitions, and the number of repetitions that found a second core.
  private var (made, useful) = (0, 0)
  /// The number of trials without a second core.
  private var lacking = 0

  /// A note on the number of repetitions, which replace results that are not part of the run; an empty array if no
  /// trial was repeated.
  var notes: [RunNote] {
    made == 0 ? [] : [RunNote("repeated", "\(made.counted("repetition")) of trials that found no second core")]
  }

  /// Whether another repetition is worth its time: about a third of the earlier repetitions found a second core.
  private var areWorthwhile: Bool { made < 3 * (useful + 1) || lacking.isMultiple(of: Self.retryInterval) }

  /// Runs a trial until it finds a second core, up to three times, and returns the last result. If a repetition does
  /// not complete, the result before it is returned.
  mutating func untilComplete(
    isAllowed: Bool, _ trial: () async throws -> (trial: TrialRecord, expired: Duration?)
  ) async throws -> (trial: TrialRecord, expired: Duration?) {
    var result = try await trial()
    guard isAllowed, result.trial.shortages.contains(Cores.second) else { return result }
    lacking += 1
    for _ in 1..<Self.most where result.trial.shortages.contains(Cores.second) && areWorthwhile {
      let next = try await trial()
      made += 1
      guard next.trial.outcome == .completed else { break }
      if !next.trial.shortages.contains(Cores.second) { useful += 1 }
      result = next
    }
    return result
  }
}
