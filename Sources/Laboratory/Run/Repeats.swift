/// A policy that repeats trials that found no second core, while enough of the repetitions find one.
///
/// A trial looks for the core before it times anything, so a repetition does not prefer one figure to another. On a
/// busy machine, the runs of all variants then consist of trials under the same conditions.
struct Repeats {
  /// The largest number of attempts for one trial.
  private static let most = 3
  /// The number of repetitions, and the number of repetitions that found a second core.
  private var (made, useful) = (0, 0)

  /// Whether another repetition is worth its time: about a third of the earlier repetitions found a second core.
  private var areWorthwhile: Bool { made < 3 * (useful + 1) }

  /// Runs a trial until it finds a second core, up to three times, and returns the last result.
  mutating func untilComplete(
    _ trial: () async throws -> (trial: TrialRecord, expired: Duration?)
  ) async throws -> (trial: TrialRecord, expired: Duration?) {
    var result = try await trial()
    for _ in 1..<Self.most where result.trial.shortages.contains(Cores.second) && areWorthwhile {
      result = try await trial()
      made += 1
      if !result.trial.shortages.contains(Cores.second) { useful += 1 }
    }
    return result
  }
}
