import Instruments
import LabTesting
import Laboratory
import Platform
import Testing

/// Expects that a trial of `pattern` is unavailable if the system cannot start enough threads, or does not report which
/// threads are blocked.
///
/// - Parameters:
///   - files: the scenarios, one of which is that of `pattern`.
///   - settings: the settings of both trials.
///   - variant: the variant that cannot start its threads.
///   - threads: the number of threads that `variant` needs.
///   - capacity: the part of the pattern that starts threads to find out whether there are enough.
///   - waiter: the variant that waits for a standstill.
///   - standstill: the part of the pattern that examines the threads.
func expectUnavailable<P: Pattern>(
  _ pattern: P, _ files: [(name: String, text: String)], _ settings: [String: ParameterValue],
  _ variant: String, needing threads: Int, _ capacity: WritableKeyPath<P, ThreadCapacity>,
  _ waiter: String, _ standstill: WritableKeyPath<P, Standstill>, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let error = SystemError(EAGAIN, "start a thread")
  var crowded = pattern
  crowded[keyPath: capacity] = ThreadCapacity { _ in throw error }
  let first = try await Attempt(variant, of: crowded, files: files, settings)
  #expect(
    first.trial.outcome == .unavailable(reason: "\(threads) threads and some more are needed: \(error)"),
    sourceLocation: sourceLocation)
  var silent = pattern
  silent[keyPath: standstill].areOthersAsleep = { nil }
  let second = try await Attempt(waiter, of: silent, files: files, settings)
  #expect(
    second.trial.outcome == .unavailable(reason: "this system does not report whether threads sleep"),
    sourceLocation: sourceLocation)
}
