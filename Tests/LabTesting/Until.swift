import Laboratory

/// Looks again and again until something is so of which no event tells.
///
/// - Parameter patience: after which the test fails in place of waiting for ever; far longer than a busy machine takes.
/// - Throws: ``LabError`` with `what` where it was waited for in vain.
public func until(_ what: String, patience: Duration = .seconds(600), _ isSo: () -> Bool) async throws {
  let end = ContinuousClock.now + patience
  while !isSo() {
    guard ContinuousClock.now < end else { throw LabError("waited in vain until \(what)") }
    try await Task.sleep(for: .milliseconds(1))
  }
}
