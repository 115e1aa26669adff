/// The choice of a strand for the next step.
struct Choice {
  let strand: Int
  let footprint: Footprint
}

/// Chooses the strand that makes the next step.
protocol Chooser: AnyObject {
  /// Returns the number of the strand; nil to abandon the execution.
  ///
  /// - Parameters:
  ///   - choices: the strands that can make a step, never empty, in the order of their numbers.
  ///   - previous: the strand that made the last step; nil at the first one.
  func choose(_ choices: [Choice], after previous: Int?) -> Int?
}
