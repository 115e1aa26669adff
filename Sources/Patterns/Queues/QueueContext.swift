import CDispatchSupport
import Dispatch
import Laboratory
import Platform

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
  let inRelease = Metric.count("in-release", "queues whose data was cleaned up by the thread that let the queue go")
  let without = Metric.count("without", "finalizers that ran although their queue had no context")
  let cleanUp = Metric.latency("clean-up", "from the end of a queue's last block until its data is cleaned up")
  let reused = Metric.count(
    "reused", "queues whose memory the thread that let them go was given anew when the release had returned")
  let accepted = Metric.count("accepted", "flags, other than 0 and 2, for which there is a global queue")
  let overcommit = Metric.count("overcommit", "global queues of their own for flag 2")
  let changed = Metric.count("changed", "global queues that were not the same once they had been released")
  let lost = Metric.count("lost", "blocks that a global queue did not run once after that")

  let otherQueue = Metric.count(
    "other-queue", "blocks that asked for the current queue and got another than the one they were submitted to")
  let overcommitting = Metric.count(
    "overcommitting", "threads outside a block that asked for it and got the overcommitting queue of the default class")
  let main = Metric.count("main", "threads outside a block that asked for it and got the main queue")
  let modified = Metric.count(
    "modified", "ways to modify a global queue that took effect: a context, a suspended target, a suspension")
  let keyed = Metric.count("keyed", "values set by a key at a global queue that its blocks found")

  var variants: [Variant] {
    Variant("context", .documented, "blocks look for the data at their queue, in its context", own: [repeats, notSeen])
    {
      trial in
      share(trial) { data in
        let queue = FunctionQueue(label: "com.example.MyQueue")
        queue.async { gcdlab_dispatch_set_context(queue.object, data.pointer) }
        gcdlab_dispatch_sync_f(queue.object, queue.object) { queue in
          MyDataContext.found(gcdlab_dispatch_get_context(queue))
        }
      }
    }
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
    Variant("idle", .documented, "an idle queue is let go, and memory of its size asked for", own: [repeats, reused]) {
      trial in
      try reuse(trial) { queue in
        gcdlab_dispatch_release(queue)
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
    Variant(
      "global-modified", .broken, "a global queue is given a context, a value by a key, a target, and is suspended",
      own: [modified, keyed]
    ) { trial in
      modify(trial, gcdlab_dispatch_get_global_queue(0, 0)) { queue, change in
        switch change {
        case .context(let data): gcdlab_dispatch_set_context(queue, data)
        case .value(let key, let value): gcdlab_dispatch_queue_set_specific(queue, key, value, nil)
        case .target(let target): gcdlab_dispatch_set_target_queue(queue, target)
        case .suspension: gcdlab_dispatch_suspend(queue)
        }
      }
    }
    Variant(
      "current-queue", .documented, "dispatch_get_current_queue is called in blocks and outside of them",
      own: [otherQueue, overcommitting, main], mainQueue: .body
    ) { trial in
      let answers = QueueAnswers()
      MainThread.run { answers.outside(gcdlab_dispatch_get_current_queue()) }
      answers.outside(gcdlab_dispatch_get_current_queue())
      for queue in answers.queues {
        queue.async { answers.inside(gcdlab_dispatch_get_current_queue(), of: queue) }
      }
      answers.record(trial, self)
    }
  }

  private var living: [any Declaration] { [repeats, notOnce, early, inRelease, cleanUp] }
}
