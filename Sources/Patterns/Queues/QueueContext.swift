import CDispatchSupport
import Dispatch
import Instruments

/// Where does a program store data that belongs to a queue, and when is the data cleaned up?
///
/// The Concurrency Programming Guide says that thread-local data does not belong to a queue, and that the data of a
/// queue belongs in the queue's context. The guide's listing stores a structure as the context of a serial queue and
/// installs a finalizer function. The finalizer frees the structure and its contents when the system frees the queue.
///
/// Swift hides the C functions and offers `setSpecific` instead, so the trials call the C functions through
/// `CDispatchSupport`. The last block of a queue runs while the last reference to the queue is released. In the first
/// repetition this block waits for a while. A finalizer that runs too early is detected during this wait. The wait has
/// a time limit, since no event reports that a finalizer will not run.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Storing Custom Context Information with a Queue",
/// "Providing a Clean Up Function For a Queue", "Memory Management for Dispatch Queues", "Getting the Global Concurrent
/// Dispatch Queues".
struct QueueContext: Pattern {
  static let name = "queue-context"

  let repeats = Parameter.count("repeats", 1...1000, default: 50, "queues per trial, one after the other").ofMeasurement

  let notFound = Metric.count("not-found", "later blocks or tasks that did not find the data")
  let foundElsewhere = Metric.count("found-elsewhere", "blocks of another queue that found the data")
  let notOnce = Metric.count("not-once", "queues whose data was not cleaned up exactly once")
  let earlyCleanups = Metric.count(
    "early-cleanups", "queues whose data was cleaned up before the last release and the end of the last block")
  let inRelease = Metric.count(
    "in-release", "idle queues whose data was cleaned up on the releasing thread, within the last release")
  let heldBack = Metric.count(
    "held-back", "released queues whose data had not been cleaned up once every thread slept")
  let withoutContext = Metric.count("without-context", "finalizers that ran although their queue had no context")
  let cleanupLatency = Metric.latency(
    "cleanup-latency", "from the end of a queue's last block to the clean-up of its data")
  let reused = Metric.count(
    "reused", "queues whose memory the next malloc of the releasing thread returned, right after the last release")
  let acceptedFlags = Metric.count("accepted-flags", "flags other than 0 and 2 for which there is a global queue")
  let overcommitQueues = Metric.count("overcommit-queues", "separate global queues that flag 2 (overcommit) returned")
  let changed = Metric.count("changed", "global queues that were a different object after they were over-released")
  let lost = Metric.count("lost", "blocks that an over-released queue did not run exactly once")

  let wrongQueue = Metric.count(
    "wrong-queue", "blocks for which the current queue was not the queue that they had been submitted to")
  let gotOvercommitQueue = Metric.count(
    "got-overcommit-queue", "threads outside a block that got the default overcommit queue as the current queue")
  let gotMainQueue = Metric.count(
    "got-main-queue", "threads outside a block that got the main queue as the current queue")
  let modified = Metric.count(
    "modified", "changes of a global queue that took effect, of three: a context, a suspended target and a suspension")
  let keyedValues = Metric.count("keyed-values", "values set on a global queue by a key that its blocks found")

  var variants: [Variant] {
    Variant("context", .documented, "blocks look up the data in their queue's context", share) { data in
      let queue = FunctionQueue(label: "com.example.MyQueue")
      queue.async { gcdlab_dispatch_set_context(queue.object, data.pointer) }
      gcdlab_dispatch_sync_f(queue.object, queue.object) { queue in
        MyDataContext.found(gcdlab_dispatch_get_context(queue))
      }
    }
    Variant("specific", .modern, "blocks look up the data in their queue by a key: getSpecific", share) { data in
      let key = DispatchSpecificKey<MyDataContext>()
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.async { queue.setSpecific(key: key, value: data) }
      queue.sync { data.recordMatch(in: DispatchQueue.getSpecific(key: key)) }
    }
    Variant("thread-local", .broken, "blocks look up the data in thread-local storage", share) { data in
      let key = ThreadKey<MyDataContext>()
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.async { key.value = data }
      queue.sync { data.recordMatch(in: key.value) }
    }
    Variant(
      "thread-local-async", .broken, "as thread-local, but the first block is run by sync and the later one by async",
      share
    ) { data in
      let key = ThreadKey<MyDataContext>()
      let queue = DispatchQueue(label: "com.example.MyQueue")
      let later = DispatchGroup()
      queue.sync { key.value = data }
      queue.async(group: later) { data.recordMatch(in: key.value) }
      later.wait()
    }
    Variant(
      "thread-local-elsewhere", .broken, "a block leaves data in thread-local storage, then syncs to another queue",
      shareWithAnother
    ) { data in
      let key = ThreadKey<MyDataContext>()
      let (queue, other) = (DispatchQueue(label: "com.example.MyQueue"), DispatchQueue(label: "other"))
      let both = DispatchGroup()
      queue.async(group: both) {
        key.value = data
        other.sync { data.recordMatch(in: key.value) }
      }
      both.wait()
    }
    Variant(
      "task-local", .modern, "child tasks look up the data in a @TaskLocal of their parent", shareAmongTasks
    ) { data in
      await MyDataContext.$current.withValue(data) {
        async let child: Void = data.recordMatch(in: MyDataContext.current)
        await child
      }
    }
    Variant(
      "context-finalizer", .documented, "the document's listing: a queue with a context and a finalizer", clean
    ) { data in
      let serialQueue = gcdlab_dispatch_queue_create("com.example.CriticalTaskQueue", nil)
      gcdlab_dispatch_set_context(serialQueue, data.pointer)
      gcdlab_dispatch_set_finalizer_f(serialQueue) { context in
        MyDataContext.at(context).cleanUp()
      }
      return RetainedQueue(created: serialQueue)
    }
    Variant(
      "suspended-target", .broken, "as context-finalizer, with queues whose target queue is suspended", holdBack
    ) { data, target in
      let serialQueue = gcdlab_dispatch_queue_create("com.example.CriticalTaskQueue", nil)
      gcdlab_dispatch_set_target_queue(serialQueue, target)
      gcdlab_dispatch_set_context(serialQueue, data.pointer)
      gcdlab_dispatch_set_finalizer_f(serialQueue) { context in
        MyDataContext.at(context).cleanUp()
      }
      return RetainedQueue(created: serialQueue)
    }
    Variant("no-context", .broken, "as context-finalizer, without a context", releaseQueue) { () in
      let serialQueue = gcdlab_dispatch_queue_create("com.example.CriticalTaskQueue", nil)
      gcdlab_dispatch_set_finalizer_f(serialQueue) { _ in
        MyDataContext.cleanUpWithout()
      }
      return RetainedQueue(created: serialQueue)
    }
    Variant("idle", .documented, "an idle queue is released, then memory of its size is allocated", reuse()) { queue in
      gcdlab_dispatch_release(queue)
    }
    Variant("busy", .documented, "as idle, with a queue whose block runs", reuse(isBusy: true)) { queue in
      gcdlab_dispatch_release(queue)
    }
    Variant(
      "specific-released", .modern, "a Swift queue with an object set by setSpecific, released with the queue", clean
    ) { data in
      let key = DispatchSpecificKey<DeallocationObserver>()
      let queue = DispatchQueue(label: "com.example.CriticalTaskQueue")
      queue.setSpecific(key: key, value: DeallocationObserver { data.cleanUp() })
      return RetainedQueue(queue)
    }
    Variant(
      "global", .documented, "gets global queues with other flags, and over-releases one", takeGlobals
    ) { trial in
      askForGlobal(trial) { flags in
        gcdlab_dispatch_get_global_queue(0, flags)
      } release: { queue in
        gcdlab_dispatch_release(queue)
      }
    }
    Variant(
      "over-released", .documented,
      "releases the four global queues and the main queue more often than it retains them", releaseGlobals,
      mainQueue: .mainThread
    ) { trial in
      let queues = [2, 0, -2, Int(Int16.min)].map { gcdlab_dispatch_get_global_queue($0, 0) } + [gcdlab_main_queue()]
      overRelease(trial, queues) { queue in
        gcdlab_dispatch_retain(queue)
        gcdlab_dispatch_release(queue)
        gcdlab_dispatch_release(queue)
      }
    }
    Variant(
      "global-modified", .broken, "sets a context, a keyed value and a target on a global queue, and suspends it",
      modifyGlobal
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
      "current-queue", .documented, "calls dispatch_get_current_queue inside blocks and outside", answerQuestions,
      mainQueue: .body
    ) { trial in
      let answers = QueueAnswers()
      MainThread.run { answers.onMainThread(gcdlab_dispatch_get_current_queue()) }
      answers.onOtherThread(gcdlab_dispatch_get_current_queue())
      for queue in answers.queues {
        queue.async { answers.inside(gcdlab_dispatch_get_current_queue(), of: queue) }
        queue.sync { answers.inside(gcdlab_dispatch_get_current_queue(), of: queue) }
      }
      answers.record(trial, self)
    }
  }

  private var takeGlobals: TrialProbe { Probe(records: [acceptedFlags, overcommitQueues, changed, lost]) }
  private var releaseGlobals: TrialProbe { Probe(records: [lost]) }
  private var modifyGlobal: TrialProbe { Probe(records: [modified, keyedValues]) }
  private var answerQuestions: TrialProbe { Probe(records: [wrongQueue, gotOvercommitQueue, gotMainQueue]) }
}
