import CDispatchSupport
import Dispatch
import Laboratory

/// What belongs to a queue, and when does it go?
///
/// The document says that what a thread keeps for itself does not belong to a queue, and to keep such data in the queue's
/// context. A finalizer, which runs when the queue is freed, cleans that up:
///
/// ```c
/// void myFinalizerFunction(void *context) {
///   MyDataContext *theData = (MyDataContext *)context;
///   myCleanUpDataContextFunction(theData);
///   free(theData);
/// }
///
/// dispatch_queue_t serialQueue = dispatch_queue_create("com.example.CriticalTaskQueue", NULL);
/// dispatch_set_context(serialQueue, data);
/// dispatch_set_finalizer_f(serialQueue, &myFinalizerFunction);
/// ```
///
/// The C functions are the real ones; Swift hides them and has `setSpecific`. A queue's last reference is let go while its
/// last block runs, and that block waits for the finalizer, as long as there is nothing else to wait for.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Storing Custom Context Information with a Queue", "Providing a
/// Clean Up Function For a Queue", "Memory Management for Dispatch Queues", "Getting the Global Concurrent Dispatch Queues".
struct QueueContext: Pattern {
  static let name = "queue-context"

  let repeats = Setting.count("repeats", 1...1000, default: 50, "queues in a trial, one after the other")

  let notSeen = Metric.count("not-seen", "later blocks or tasks that did not find the data")
  let notOnce = Metric.count("not-once", "queues whose data was not cleaned up just once")
  let early = Metric.count(
    "early", "queues whose data was cleaned up before the last reference was gone and the last block had ended")
  let without = Metric.count("without", "finalizers that ran although their queue had no context")
  let cleanUp = Metric.latency("clean-up", "from the end of a queue's last block until its data is cleaned up")
  let accepted = Metric.count("accepted", "flags, other than 0 and 2, for which there is a global queue")
  let overcommit = Metric.count("overcommit", "global queues of their own for flag 2")
  let changed = Metric.count("changed", "global queues that were not the same once they had been released")
  let lost = Metric.count("lost", "blocks that a global queue did not run once after that")

  var variants: [Variant] {
    Variant("specific", .modern, "blocks look for the data at their queue, by a key", own: [repeats, notSeen]) {
      trial in
      let key = DispatchSpecificKey<MyDataContext>()
      share(trial) { data in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.async { queue.setSpecific(key: key, value: data) }
        queue.sync { data.isSeen(in: DispatchQueue.getSpecific(key: key)) }
      }
    }
    Variant("thread-local", .broken, "blocks look for it at their thread", own: [repeats, notSeen]) { trial in
      let key = ThreadKey<MyDataContext>()
      share(trial) { data in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.async { key.value = data }
        queue.sync { data.isSeen(in: key.value) }
      }
    }
    Variant("task-local", .modern, "tasks look for it at the task that started them", own: [repeats, notSeen]) {
      trial in
      await shareAmongTasks(trial) { data in
        await MyDataContext.$current.withValue(data) {
          async let child: Void = data.isSeen(in: MyDataContext.current)
          await child
        }
      }
    }
    Variant("context-finalizer", .documented, "the document's queue, with a context and a finalizer", own: living) {
      trial in
      clean(trial) { data in
        let serialQueue = gcdlab_dispatch_queue_create("com.example.CriticalTaskQueue", nil)
        gcdlab_dispatch_set_context(serialQueue, data.pointer)
        gcdlab_dispatch_set_finalizer_f(serialQueue) { context in
          MyDataContext.at(context).cleanUp()
        }
        return HeldQueue(created: serialQueue)
      }
    }
    Variant("no-context", .broken, "the same without a context", own: [repeats, without]) { trial in
      letGo(trial) {
        let serialQueue = gcdlab_dispatch_queue_create("com.example.CriticalTaskQueue", nil)
        gcdlab_dispatch_set_finalizer_f(serialQueue) { _ in
          MyDataContext.cleanUpWithout()
        }
        return HeldQueue(created: serialQueue)
      }
    }
    Variant("specific-released", .modern, "a queue of Swift's with an object by a key, which goes with it", own: living)
    { trial in
      let key = DispatchSpecificKey<Owned>()
      clean(trial) { data in
        let queue = DispatchQueue(label: "com.example.CriticalTaskQueue")
        queue.setSpecific(key: key, value: Owned { data.cleanUp() })
        return HeldQueue(queue)
      }
    }
    Variant(
      "global", .documented, "a global queue is asked for with flags, and released by one who does not own it",
      own: [accepted, overcommit, changed, lost]
    ) { trial in
      askForGlobal(trial) { flags in
        gcdlab_dispatch_get_global_queue(0, flags)
      } release: { queue in
        gcdlab_dispatch_release(queue)
      }
    }
  }

  private var living: [any Declaration] { [repeats, notOnce, early, cleanUp] }
}
