import Dispatch

/// A value behind a serial queue, in place of your own code.
final class Guarded<Value: Sendable>: @unchecked Sendable {  // The value is touched on the queue alone.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Reads or changes the value, with exclusive access.
  func with<Result>(_ body: (inout Value) -> Result) -> Result { queue.sync { body(&value) } }
}
