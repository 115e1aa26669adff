/// A model of a counting semaphore.
public final class ModelSemaphore: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var value: Int

  /// Creates a semaphore with an initial value.
  public init(value: Int) {
    self.value = value
    object = execution.makeObject()
  }

  /// Waits until the value is above 0, and decrements it.
  public func wait() {
    execution.step(.changing(self.object), "waits for a signal of the semaphore") { self.value > 0 }
    value -= 1
    execution.describe("passes the semaphore")
  }

  /// Increments the value, and returns 0.
  @discardableResult public func signal() -> Int {
    execution.step(.incrementing(self.object), "signals the semaphore")
    value += 1
    execution.describe("signals the semaphore")
    return 0
  }
}
