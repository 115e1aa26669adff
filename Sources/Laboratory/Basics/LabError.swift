/// An error that the machine causes, and that prevents the lab from doing its work. The exit status is 2.
public struct LabError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of the task that failed, and of the reason.
  public let description: String

  /// Creates an error from a description of the task that failed and of the reason.
  public init(_ description: String) { self.description = description }
}
