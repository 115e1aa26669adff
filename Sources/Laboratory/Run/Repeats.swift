/// A policy that repeats trials for which no second core was available, as long as enough of the repetitions have a
/// second core.
///
/// A trial looks for the second core before it times a loop, so a repetition does not prefer one figure to another.
/// With repetitions, most trials of all variants run under equal conditions even on a busy machine.
struct Repeats {
  /// The largest number of attempts for one trial.
  private static let most = 3
  /// The interval, in trials without a second core, at which a repetition is tried even if the earlier repetitions were
  /// in vain. Programs that kept the second core busy may have ended in the meantime.
  private static let retryInterval = 16
  /// The number of repetitions, and the number of repetitions that had a second core.
  private var (made, useful) = (0, 0)
  /// The number of trials that lacked a second core at the first attempt and could be repeated.
  private var lacking = 0

  /// A note on the number of repetitions; an empty array if no trial was repeated. The note tells readers that the
  /// results of some first attempts are not part of the run.
  var notes: [RunNote] {
    made == 0
      ? [] : [RunNote(RunNote.repeated, "\(made.counted("repetition")) replaced trials that found no second core")]
  }

  /// Whether another repetition is worth its time: about a third or more of the earlier repetitions had a second core,
  /// or the interval ``retryInterval`` has passed.
  private var areWorthwhile: Bool { made < 3 * (useful + 1) || lacking.isMultiple(of: Self.retryInterval) }

  /// Runs a trial, and repeats the trial while it has no second core and a repetition is worth its time, up to three
  /// attempts. Returns the last result. If a repetition does not complete, returns the result before the repetition.
  ///
  /// - Parameter isAllowed: whether the trial may be repeated.
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
