import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct BlockCaptureTests {
  static let settings: [String: ParameterValue] = ["blocks": .integer(20)]

  static func attempt(_ variant: String, _ blocks: Int) async throws -> Attempt {
    try await Attempt(variant, of: BlockCapture(), files: Catalogue.files, ["blocks": .integer(blocks)])
  }

  @Test(
    arguments: [
      "value", "c-block", "c-block-called", "stack-block", "reference-sync", "object", "cancelled-item", "task",
    ], [1, 1000])
  func `each variant keeps its promises, and runs the expected number of blocks`(_ variant: String, _ blocks: Int)
    async throws
  {
    let attempt = try await Self.attempt(variant, blocks)
    #expect(attempt.brokenPromises == [])
    #expect(attempt.total("ran") == (variant == "cancelled-item" ? 0 : blocks))
  }

  @Test(arguments: [1, 1000])
  func `every block sees the changed value of a shared variable`(_ blocks: Int) async throws {
    let attempt = try await Self.attempt("reference", blocks)
    #expect(try attempt.verdict("reference.changed > 0") == .witnessed)
    #expect(attempt.total("changed") == blocks)
  }

  @Test(arguments: [1, 1000]) func `a block that sync runs is not copied`(_ blocks: Int) async throws {
    let attempt = try await Self.attempt("stack-block-sync", blocks)
    #expect(attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
    #expect(
      attempt.total("in-place") == blocks && attempt.total("uncopied") == blocks && attempt.total("ran") == blocks)
    #expect(attempt.total("changed") == 0)
  }

  @Test(arguments: ["object", "task"])
  func `every release of a captured object is timed`(_ variant: String) async throws {
    #expect(try await Self.attempt(variant, 50).trial.observation.samples("release")?.summary?.count == 50)
  }

  // MARK: Broken bodies

  @Sendable private static func copies(_ block: CapturingBlock) {
    var x = block.number
    block.queue.async { [x] in block.recordValue(x) }
    x = 456
  }

  @Sendable private static func shares(_ block: CapturingBlock) {
    var x = block.number
    block.queue.async(execute: DispatchWorkItem { block.recordValue(x) })
    x = 456
  }

  @Sendable private static func sharesLater(_ queue: FunctionQueue, _ block: StackBlock) {
    let x = Gauge()
    queue.async { block.recordValue(x.now, inPlace: false) }
    x.up()
  }

  /// Creates a block that does not retain its object.
  @Sendable private static func keepsNothing(_ block: CapturingBlock) {
    let object = block.makeObject()
    block.queue.async { [weak object] in
      if let object { block.use(object) } else { block.recordValue(0) }
    }
  }

  /// Creates a block whose object another owner retains forever.
  @Sendable private static func keepsForEver(_ block: CapturingBlock) {
    let object = Unmanaged.passRetained(block.makeObject()).takeUnretainedValue()
    block.queue.async { block.use(object) }
  }

  /// Returns a body in which every second block is correct, so that releases can be timed.
  private static func halfOf(_ broken: @escaping BlockCapture.Maker) -> BlockCapture.Maker {
    { block in
      guard block.number.isMultiple(of: 2) else { return broken(block) }
      let object = block.makeObject()
      block.queue.async { block.use(object) }
    }
  }

  static var reds: [Red] {
    let pattern = BlockCapture()
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, settings, body)
    }
    let patience = Duration.milliseconds(20)
    let objects = ["object", "task"].flatMap { variant in
      [
        red("\(variant).released-early == 0", variant) { try pattern.measureObjects()($0, halfOf(keepsNothing)) },
        red("\(variant).not-released-once == 0", variant) {
          try pattern.measureObjects(patience: patience)($0, halfOf(keepsForEver))
        },
      ]
    }
    /// Returns a function that executes the block at once, as a function with the block on its stack does.
    @Sendable func atOnce(_ value: Int, inPlace: Bool, copies: Int) -> @Sendable (FunctionQueue, StackBlock) -> Void {
      { _, block in
        for _ in 0..<copies { block.recordCopy() }
        block.recordValue(block.number + value, inPlace: inPlace)
        block.recordFree()
      }
    }
    return objects + [
      red("stack-block.in-place == 0", "stack-block") {
        try pattern.measureStackBlocks($0, atOnce(0, inPlace: true, copies: 1))
      },
      red("stack-block.changed == 0", "stack-block") {
        try pattern.measureStackBlocks($0, atOnce(1, inPlace: false, copies: 1))
      },
      red("stack-block.not-released-once == 0", "stack-block") {
        try pattern.measureStackBlocks($0, atOnce(0, inPlace: false, copies: 2))
      },
      red("c-block.changed == 0", "c-block") { try pattern.measureCompiledBlocks($0, sharesLater) },
      red("c-block-called.changed == 0", "c-block-called") { try pattern.measureCompiledBlocks($0, sharesLater) },
      red("stack-block-sync.in-place > 0", "stack-block-sync") {
        try pattern.measureSyncedStackBlocks($0, atOnce(0, inPlace: false, copies: 0))
      },
      red("stack-block-sync.uncopied > 0", "stack-block-sync") {
        try pattern.measureSyncedStackBlocks($0, atOnce(0, inPlace: true, copies: 1))
      },
      red("value.changed == 0", "value") { try pattern.measureValues($0, shares) },
      red("reference.changed > 0", "reference") { try pattern.measureValues($0, copies) },
      // The block writes its value to a copy.
      red("reference-sync.changed == 0", "reference-sync") { trial in
        try pattern.measureValues(trial) { block in
          let x = 456
          block.openQueue.sync { [x] in
            var x = x
            x = max(x, block.number)
          }
          block.recordValue(x)
        }
      },
      red("cancelled-item.ran == 0", "cancelled-item") { trial in
        try pattern.measureCancelled()(trial) { block in
          let object = block.makeObject()
          block.queue.async(execute: DispatchWorkItem { block.use(object) })
        }
      },
      red("cancelled-item.released-early == 0", "cancelled-item") { try pattern.measureCancelled()($0, keepsNothing) },
      red("cancelled-item.not-released-once == 0", "cancelled-item") {
        try pattern.measureCancelled(patience: patience)($0, keepsForEver)
      },
    ]
  }
}
