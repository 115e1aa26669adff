import Dispatch

/// A dispatch source of any kind that several threads use.
///
/// Conformance to `Sendable` is unchecked: dispatch objects may be used from any thread, but the protocol
/// `DispatchSourceProtocol` is not declared as `Sendable`.
public struct SharedSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Creates a value that several threads may use to control `source`.
  public init(_ source: any DispatchSourceProtocol) { self.source = source }

  /// Suspends the source.
  public func suspend() { source.suspend() }
  /// Resumes the source, which then delivers its pending events.
  public func resume() { source.resume() }
  /// Cancels the source.
  public func cancel() { source.cancel() }
}
