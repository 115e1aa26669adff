import Dispatch
import Instruments

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// When does the system release the objects that a block has autoreleased?
///
/// The autorelease pool of a thread releases its objects when the pool is drained. The Concurrency Programming Guide
/// says that each dispatch queue has an autorelease pool, and that Dispatch does not guarantee when the pool is
/// drained. A block that creates many objects therefore needs its own autorelease pool, as in the variant `own-pool`.
///
/// Only Darwin supports autoreleased objects. The variants follow the documented API and have not been run yet.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks", "Using Objective-C
/// Objects in Your Tasks".
struct Autorelease: Pattern {
  static let name = "autorelease"
  static let needs: [Requirement] = [.darwin]

  let blocks = Parameter.count("blocks", 2...10_000, default: 100, "blocks, run one after the other")
  let objects = Parameter.count("objects", 1...10_000, default: 100, "objects that each block autoreleases")

  let kept = Metric.count("kept", "objects of earlier blocks that were still alive when a block started; the maximum")
  let left = Metric.count("left", "objects still alive when all blocks had finished")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant(
      "queue-pool", .documented, "a queue with default attributes, which drains its pool at any time", countObjects()
    ) { made in
      // The queue is inactive until it contains all blocks. Otherwise the queue might become empty between two blocks,
      // and its autorelease pool might be drained.
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .initiallyInactive)
      for block in made.blocks { queue.async(group: made.all) { block.makeAndAutorelease() } }
      queue.activate()
    }
    Variant("own-pool", .documented, "a default queue; each block has its own autorelease pool", countObjects()) {
      made in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      for block in made.blocks {
        queue.async(group: made.all) {
          autoreleasepool { block.makeAndAutorelease() }
        }
      }
    }
    Variant("work-item", .modern, "a queue created with autoreleaseFrequency: .workItem", countObjects()) { made in
      let queue = DispatchQueue(label: "com.example.MyQueue", autoreleaseFrequency: .workItem)
      for block in made.blocks { queue.async(group: made.all) { block.makeAndAutorelease() } }
    }
  }
}
