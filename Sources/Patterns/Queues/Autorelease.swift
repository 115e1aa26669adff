import Dispatch
import Laboratory

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// When do the objects go that a block has autoreleased?
///
/// An Objective-C object that is autoreleased goes when the pool of its thread is drained. A queue has such a pool, says the
/// document, and promises no time for it. Who makes many objects makes a pool of his own:
///
/// ```objc
/// dispatch_async(queue, ^{
///   @autoreleasepool { … }
/// });
/// ```
///
/// Autoreleasing is Darwin's. The bodies are written to the documented API; nobody has run them yet.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks", "Using Objective-C Objects in Your
/// Tasks".
struct Autorelease: Pattern {
  static let name = "autorelease"
  static let needs: [Need] = [.darwin]

  let blocks = Setting.count("blocks", 2...10_000, default: 100, "blocks, one after the other")
  let objects = Setting.count("objects", 1...10_000, default: 100, "objects that each of them autoreleases")

  let kept = Metric.count("kept", "objects of earlier blocks that were there when a block began; the most")
  let left = Metric.count("left", "objects that were there when all blocks had ended")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant("queue-pool", .documented, "a queue as it is made, which drains its pool when it likes") { trial in
      try autorelease(trial) { made in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        for block in made.blocks { queue.async(group: made.all) { block.makeAndAutorelease() } }
      }
    }
    Variant("own-pool", .documented, "the same, and each block has a pool of its own") { trial in
      try autorelease(trial) { made in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        for block in made.blocks {
          queue.async(group: made.all) {
            autoreleasepool { block.makeAndAutorelease() }
          }
        }
      }
    }
    Variant("work-item", .modern, "a queue that has a pool for each block") { trial in
      try autorelease(trial) { made in
        let queue = DispatchQueue(label: "com.example.MyQueue", autoreleaseFrequency: .workItem)
        for block in made.blocks { queue.async(group: made.all) { block.makeAndAutorelease() } }
      }
    }
  }
}
