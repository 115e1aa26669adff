import CDispatchSupport
import Dispatch
import Instruments

/// What does a block copy and retain, and for how long?
///
/// An example in the Concurrency Programming Guide declares two local variables, creates a block that prints the
/// variables and its argument, and calls the block in the same function. The block contains copies of the variables, so
/// it may also run after the function has returned. A block that `dispatch_sync` runs may return a value through a
/// `__block` variable. According to the guide, a queue copies each block that is added to it, and releases the copy
/// after the block has run.
///
/// A trial submits an asynchronous block to a queue that is inactive or suspended. Before the block runs, the trial
/// changes the captured variable or releases the last other reference to the captured object.
/// `BlockCaptureTrials.swift` contains the code that runs the trials.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Implementing Tasks Using Blocks".
struct BlockCapture: Pattern {
  static let name = "block-capture"

  let blocks = Parameter.count(
    "blocks", 1...100_000, default: 500, "blocks, each of which captures a variable or an object of its own")

  let changed = Metric.count("changed", "blocks that saw a value other than that at their creation")
  let ran = Metric.count("ran", "blocks that ran")
  let releasedEarly = Metric.count(
    "released-early", "objects released before their block had run, or before the queue had reached it")
  let notReleasedOnce = Metric.count(
    "not-released-once", "objects, or copies of blocks, not released exactly once when the queue had reached all blocks"
  )
  let inPlace = Metric.count(
    "in-place", "blocks that ran at their original address, on the stack of a C function")
  let uncopied = Metric.count("uncopied", "blocks that ran without being copied, so that no copy was freed")
  let release = Metric.latency("release", "from the last line of the block until its object is released")

  var problem: [any Declaration] { [blocks] }

  var variants: [Variant] {
    Variant(
      "value", .documented, "async; the variable is in the block's capture list, which copies its value", measureValues
    ) { block in
      var x = block.number
      block.queue.async { [x] in
        block.recordValue(x)
      }
      x = 456
    }
    Variant("c-block", .documented, "async, called from C; the variable changes afterwards", measureCompiledBlocks) {
      queue, block in
      gcdlab_async_compiled_block(queue.object, block.pointer, block.number) { block, value in
        StackBlock.at(block)?.recordValue(value, inPlace: false)
      }
    }
    Variant(
      "c-block-called", .documented, "a C function that makes a block, changes the variable and calls the block",
      measureCompiledBlocks
    ) { _, block in
      gcdlab_call_compiled_block(block.pointer, block.number) { block, value in
        StackBlock.at(block)?.recordValue(value, inPlace: false)
      }
    }
    Variant(
      "stack-block", .documented, "async, called from C with a block on the stack that was not copied first",
      measureStackBlocks
    ) { queue, block in
      gcdlab_async_stack_block(queue.object, block.pointer, block.number) { block, value, inPlace in
        StackBlock.at(block)?.recordValue(value, inPlace: inPlace)
      } _: { block in
        StackBlock.at(block)?.recordCopy()
      } _: { block in
        StackBlock.at(block)?.recordFree()
      }
    }
    Variant(
      "stack-block-sync", .documented, "sync, called from C with a block on the stack", measureSyncedStackBlocks
    ) { queue, block in
      gcdlab_sync_stack_block(queue.object, block.pointer, block.number) { block, value, inPlace in
        StackBlock.at(block)?.recordValue(value, inPlace: inPlace)
      } _: { block in
        StackBlock.at(block)?.recordCopy()
      } _: { block in
        StackBlock.at(block)?.recordFree()
      }
    }
    Variant("reference", .broken, "a work item captures the variable by reference, as __block does in C", measureValues)
    { block in
      var x = block.number
      let item = DispatchWorkItem {
        block.recordValue(x)
      }
      block.queue.async(execute: item)
      x = 456
    }
    Variant(
      "reference-sync", .documented, "sync; the block returns a value through a variable captured by reference",
      measureValues
    ) { block in
      var x = 456
      block.openQueue.sync {
        x = block.number
      }
      block.recordValue(x)
    }
    Variant("object", .documented, "async; the block has the only reference to an object", measureObjects()) { block in
      let object = block.makeObject()
      block.queue.async {
        block.use(object)
      }
    }
    Variant(
      "cancelled-item", .documented, "a cancelled work item has the only reference to an object", measureCancelled()
    ) { block in
      let object = block.makeObject()
      let item = DispatchWorkItem {
        block.use(object)
      }
      block.queue.async(execute: item)
      item.cancel()
    }
    Variant("task", .modern, "a Swift task has the only reference to an object", measureObjects()) { block in
      let object = block.makeObject()
      Task {
        await block.turn()
        block.use(object)
      }
    }
  }
}
