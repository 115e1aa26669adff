/// A strand that can make the next step of an execution.
struct Choice {
  let strand: Int
  let footprint: Footprint
}

/// A strategy that chooses the strand that makes the next step.
protocol Chooser: AnyObject {
  /// Returns the number of the chosen strand; nil to abandon the execution.
  ///
  /// - Parameters:
  ///   - choices: the strands that can make a step, in the order of their numbers; never empty.
  ///   - previous: the strand that made the previous step; nil before the first step.
  func choose(_ choices: [Choice], after previous: Int?) -> Int?
}
