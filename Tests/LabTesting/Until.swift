import Laboratory

/// Polls until a condition is true. Use this function if no event reports the condition.
///
/// - Parameter patience: the time after which the test fails, far longer than a busy machine needs.
/// - Throws: ``LabError`` with `what` if the condition is still false after `patience`.
public func until(_ what: String, patience: Duration = .seconds(600), _ isSo: () -> Bool) async throws {
  let end = ContinuousClock.now + patience
  while !isSo() {
    guard ContinuousClock.now < end else { throw LabError("timed out while waiting until \(what)") }
    try await Task.sleep(for: .milliseconds(1))
  }
}
