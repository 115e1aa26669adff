extension Runner {
  /// Runs the trials of the plan, and judges the claims of the plan's experiment.
  ///
  /// - Throws: the errors of ``measure(_:observer:)``.
  public func run(_ plan: Plan, observer: (any RunObserver)? = nil) async throws -> Results {
    Results(try await measure(plan, observer: observer), within: plan.budget)
  }
}
