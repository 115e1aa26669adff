import Dispatch

/// A source of any kind that several threads have to do with.
///
/// Unchecked: Dispatch's objects may be used from any thread; Swift does not know it of the protocol.
public struct SharedSource: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Shares this one.
  public init(_ source: any DispatchSourceProtocol) { self.source = source }

  /// Keeps back what happens from now on.
  public func suspend() { source.suspend() }
  /// Tells what was kept back, and goes on.
  public func resume() { source.resume() }
  /// Ends it.
  public func cancel() { source.cancel() }
}
