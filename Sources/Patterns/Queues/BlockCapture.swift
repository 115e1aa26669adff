import CDispatchSupport
import Dispatch
import Laboratory

/// What does a block keep of what was around it, and for how long?
///
/// The document's block uses variables of the function that makes it:
///
/// ```c
/// int x = 123;
/// int y = 456;
/// void (^aBlock)(int) = ^(int z) { printf("%d %d %d\n", x, y, z); };
/// aBlock(789);  // prints: 123 456 789
/// ```
///
/// Their values are copied into the block, which may run when the function has long ended. A block that is run by
/// `dispatch_sync` may give something back through a variable marked `__block`. A queue copies the block that is
/// added to it, and releases it when it has run.
///
/// The blocks of `async` here wait in a queue that is held back while the variable changes, or while the last other reference to the
/// object goes away. How that is noted stands in `CapturingBlocks.swift`.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks".
struct BlockCapture: Pattern {
  static let name = "block-capture"

  let blocks = Setting.count(
    "blocks", 1...100_000, default: 500, "blocks, each with a variable or an object of its own")

  let changed = Metric.count("changed", "blocks that left another value than at their making")
  let ran = Metric.count("ran", "blocks that ran")
  let early = Metric.count("early", "objects released before their block had run, or before the queue had come to it")
  let unreleased = Metric.count(
    "unreleased", "objects, or copies of blocks, that were not released just once when the queue had come to all")
  let inPlace = Metric.count(
    "in-place", "blocks that ran where they were made, on the stack of a C function")
  let uncopied = Metric.count("uncopied", "blocks that ran and of which no copy was made, and so none was freed")
  let release = Metric.latency("release", "from the last line of the block to the release of its object")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant(
      "value", .documented, "the variable is in the block's capture list: its value is copied", own: [changed]
    ) { trial in
      try measureValues(trial) { block in
        var x = block.number
        block.queue.async { [x] in
          block.leaves(x)
        }
        x = 456
      }
    }
    Variant(
      "stack-block", .documented, "a block on the stack of a C function, of which nobody makes a copy",
      own: [changed, inPlace, unreleased]
    ) { trial in
      try measureStackBlocks(trial) { queue, block in
        gcdlab_async_stack_block(queue.object, block.pointer, block.number) { block, value, inPlace in
          StackBlock.at(block)?.leaves(value, inPlace: inPlace)
        } _: { block in
          StackBlock.at(block)?.isCopied()
        } _: { block in
          StackBlock.at(block)?.copyIsFreed()
        }
      }
    }
    Variant(
      "stack-block-sync", .documented, "the same, which sync runs", own: [changed, inPlace, uncopied]
    ) { trial in
      measureSyncedStackBlocks(trial) { queue, block in
        gcdlab_sync_stack_block(queue.object, block.pointer, block.number) { block, value, inPlace in
          StackBlock.at(block)?.leaves(value, inPlace: inPlace)
        } _: { block in
          StackBlock.at(block)?.isCopied()
        } _: { block in
          StackBlock.at(block)?.copyIsFreed()
        }
      }
    }
    Variant("reference", .broken, "a work item shares the variable, which __block asks for in C", own: [changed]) {
      trial in
      try measureValues(trial) { block in
        var x = block.number
        let item = DispatchWorkItem {
          block.leaves(x)
        }
        block.queue.async(execute: item)
        x = 456
      }
    }
    Variant(
      "reference-sync", .documented, "a block that sync runs gives a value back through its variable", own: [changed]
    ) { trial in
      try measureValues(trial) { block in
        var x = 456
        block.openQueue.sync {
          x = block.number
        }
        block.leaves(x)
      }
    }
    Variant(
      "object", .documented, "the block has the only reference to an object", own: [early, unreleased, release]
    ) { trial in
      try measureObjects(trial) { block in
        let object = block.makeObject()
        block.queue.async {
          block.uses(object)
        }
      }
    }
    Variant("cancelled-item", .documented, "a cancelled work item has the only reference", own: [early, unreleased]) {
      trial in
      try measureCancelled(trial) { block in
        let object = block.makeObject()
        let item = DispatchWorkItem {
          block.uses(object)
        }
        block.queue.async(execute: item)
        item.cancel()
      }
    }
    Variant("task", .modern, "a task has the only reference to an object", own: [early, unreleased, release]) { trial in
      try measureObjects(trial) { block in
        let object = block.makeObject()
        Task {
          await block.turn()
          block.uses(object)
        }
      }
    }
  }
}
