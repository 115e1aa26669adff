import Exploration
import Laboratory
import Measurement
import Platform
import Reporting

extension ExploredPattern {
  /// Explores a variant, until all schedules of the strategy are executed or `isOver` returns true.
  ///
  /// - Throws: ``LabError`` if the variant behaved differently when a schedule was repeated.
  func explored(
    _ variant: Variant, by strategy: Explorer.Strategy, isOver: @escaping @Sendable () -> Bool
  ) async throws -> ExplorationResult {
    let begin = MonotonicClock.now()
    var summary: ExplorationSummary?
    if let program = variant.program {
      do { summary = try await onThread { try Explorer(program).explore(strategy, isOver: isOver) } } catch {
        throw LabError("\(name) \(variant.name): \(error)")
      }
    }
    return ExplorationResult(
      pattern: name, leavesOut: leavesOut, variant: variant, summary: summary,
      seconds: Double(MonotonicClock.now() &- begin) / 1e9)
  }
}

extension Results {
  /// Explores the variants if the scenario can be explored, and adds a remark on the results to the findings. The
  /// exploration ends after about two seconds at the latest. Interrupted results get no remark.
  mutating func addExploration() async throws {
    guard earlyEnd == nil, let pattern = Lab.explored.first(where: { $0.name == experiment.pattern.name }) else {
      return
    }
    let begin = MonotonicClock.now()
    var results: [ExplorationResult] = []
    for variant in pattern.variants where experiment.variants.contains(where: { $0.name == variant.name }) {
      let isOver: @Sendable () -> Bool = { Interrupt.status != nil || MonotonicClock.now() &- begin >= 2_000_000_000 }
      results.append(try await pattern.explored(variant, by: .all, isOver: isOver))
    }
    guard Interrupt.status == nil, let remark = RunNote(exploring: results) else { return }
    findings.append(remark)
  }
}

/// Runs `body` on a new thread outside of all thread pools, and waits for the result.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try SystemThread { continuation.resume(with: Swift.Result { try body() }) }.detach()
    } catch { continuation.resume(throwing: error) }
  }
}
