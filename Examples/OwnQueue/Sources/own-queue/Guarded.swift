import Dispatch

/// A value that a serial queue protects. This type stands for your own code.
final class Guarded<Value: Sendable>: @unchecked Sendable {  // The value is accessed only on the queue.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Calls `body` with exclusive access to the value, and returns the result of `body`.
  func with<Result>(_ body: (inout Value) -> Result) -> Result { queue.sync { body(&value) } }
}
