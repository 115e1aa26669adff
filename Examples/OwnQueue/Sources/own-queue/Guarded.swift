import Dispatch

/// What is tried here, and stands for code of yours: a value behind a serial queue.
final class Guarded<Value: Sendable>: @unchecked Sendable {  // The value is touched on the queue alone.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Reads or changes the value, alone.
  func with<Result>(_ body: (inout Value) -> Result) -> Result { queue.sync { body(&value) } }
}
