import Exploration
import Instruments

/// A block under test, with a record of the values that the block reads and of the releases of its captured object.
final class CapturingBlock: @unchecked Sendable {
  /// The value of the captured variable at the creation of the block.
  let number = 1000
  let queue = DispatchQueue(label: "queue")
  let openQueue = DispatchQueue(label: "open")
  private var seen: [Int] = []
  private var (runs, releases) = (0, 0)
  private var isCancelled = false

  fileprivate init(isCancelled: Bool = false) { self.isCancelled = isCancelled }

  /// Does nothing, since an exploration executes every order. In a trial, this method suspends the task.
  func turn() async {}

  /// Records a value of the captured variable that the block read or stored. A value other than ``number`` is a broken
  /// promise.
  func recordValue(_ value: Int) {
    Execution.note("sees \(value)")
    seen.append(value)
    if value != number { Execution.breaks("a block sees a value other than that at its creation") }
  }

  /// Creates an object whose deallocation is recorded.
  func makeObject() -> Captured { Captured(of: self) }

  /// Records a use of the captured object. A use after a release is a broken promise.
  func use(_ object: Captured) {
    withExtendedLifetime(object) {
      Execution.note("uses the object")
      runs += 1
      if releases > 0 { Execution.breaks("a block uses an object that was released") }
    }
  }

  /// The object that a block retains.
  final class Captured: Sendable {
    private let block: CapturingBlock

    fileprivate init(of block: CapturingBlock) { self.block = block }

    deinit { block.recordRelease() }
  }

  private func recordRelease() {
    Execution.note("the object is released")
    releases += 1
    if runs == 0, !isCancelled { Execution.breaks("the object is released before its block has run") }
  }

  fileprivate func judgeValue() { if seen.count != 1 { Execution.breaks("the block ran \(seen.count) times") } }

  fileprivate func judgeObject() {
    if runs != 1, !isCancelled { Execution.breaks("the block ran \(runs) times") }
    if releases != 1 { Execution.breaks("the object was released \(releases) times") }
  }
}

/// A block that a C function creates. The block is not explored, since C functions submit it to the real Dispatch.
final class StackBlock: Sendable {
  struct Queue { let object: UnsafeMutableRawPointer }

  var number: Int { 1000 }
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  static func at(_ pointer: UnsafeMutableRawPointer?) -> StackBlock? { nil }
  func recordValue(_ value: Int, inPlace: Bool) {}
  func recordCopy() {}
  func recordFree() {}
}

extension BlockCapture {
  private static let inC = "a C function makes the block, and calls the real Dispatch"

  static let exploration = Self.explored(
    ["c-block": inC, "c-block-called": inC, "stack-block": inC, "stack-block-sync": inC],
    leavesOut:
      "An access to a local variable is not a step of its own: it belongs to the step before it. A block therefore never runs "
      + "between its submission and the next line.")

  typealias Maker = @Sendable (CapturingBlock) -> Void
  typealias FunctionMaker = @Sendable (StackBlock.Queue, StackBlock) -> Void

  var measureValues: Probe<Maker> {
    Probe { _, make in
      let block = CapturingBlock()
      make(block)
      Execution.settle()
      block.judgeValue()
    }
  }

  func measureObjects() -> Probe<Maker> {
    Probe { _, make in
      let block = CapturingBlock()
      make(block)
      Execution.settle()
      block.judgeObject()
    }
  }

  /// Returns a probe for a work item that is executed and cancelled concurrently.
  func measureCancelled() -> Probe<Maker> {
    Probe { _, make in
      let block = CapturingBlock(isCancelled: true)
      make(block)
      Execution.settle()
      block.judgeObject()
    }
  }

  var measureCompiledBlocks: Probe<FunctionMaker> { Probe { _, _ in } }
  var measureStackBlocks: Probe<FunctionMaker> { measureCompiledBlocks }
  var measureSyncedStackBlocks: Probe<FunctionMaker> { measureCompiledBlocks }
}
