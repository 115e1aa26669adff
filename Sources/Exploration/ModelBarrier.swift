/// A model of a barrier at which each thread waits until all threads have arrived.
public final class ModelBarrier: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private let parties: Int
  private var arrived = 0

  /// Creates a barrier for `parties` threads. A barrier can be used once.
  public init(parties: Int) {
    self.parties = parties
    object = execution.makeObject()
  }

  /// Waits until all threads have arrived.
  public func wait() {
    execution.step(.changing(self.object), "arrives at the meeting point")
    arrived += 1
    execution.describe("arrives at the meeting point")
    execution.step(.changing(self.object), "waits for the others at the meeting point") { self.arrived >= self.parties }
    execution.describe("continues from the meeting point")
  }
}
