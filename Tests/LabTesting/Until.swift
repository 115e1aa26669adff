import Laboratory

/// Polls until a condition is true that no event reports.
///
/// - Parameter patience: The time after which the test fails, far longer than a busy machine takes.
/// - Throws: ``LabError`` with `what` if the condition did not become true in time.
public func until(_ what: String, patience: Duration = .seconds(600), _ isSo: () -> Bool) async throws {
  let end = ContinuousClock.now + patience
  while !isSo() {
    guard ContinuousClock.now < end else { throw LabError("waited in vain until \(what)") }
    try await Task.sleep(for: .milliseconds(1))
  }
}
