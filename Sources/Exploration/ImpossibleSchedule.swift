/// The error of a schedule with a step that cannot be made.
public struct ImpossibleSchedule: Error, CustomStringConvertible {
  /// The number of the step, counted from 1, the scheduled thread, and the threads that can make the step. `possible`
  /// is empty if all threads have ended.
  public let step: Int, strand: Int, possible: [Int]

  /// A description with the step, the scheduled thread and the threads that can make the step.
  public var description: String {
    let allowed = possible.map(String.init).joined(separator: ", ")
    return possible.isEmpty
      ? "step \(step): found \(strand), but all threads have ended"
      : "step \(step): found \(strand), which cannot make a step now; these can: \(allowed)"
  }
}
