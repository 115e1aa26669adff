import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

extension QueueContext {
  /// Returns one second as an upper bound for the duration of a trial, since a queue may have to wait for a thread.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// A probe whose body stores data in one block and reads the data in a later block on another thread. The probe
  /// counts the repetitions in which the later block did not find the data.
  var share: Probe<@Sendable (MyDataContext) -> Void> {
    Probe(reads: [repeats], records: [notFound]) { trial, body in
      trial.record(notFound, trial[repeats] - timesSeen(trial, body))
    }
  }

  /// A probe whose body stores data in a block of one queue and reads the data in a block of another queue. The probe
  /// counts the repetitions in which the second block found the data.
  var shareWithAnother: Probe<@Sendable (MyDataContext) -> Void> {
    Probe(reads: [repeats], records: [foundElsewhere]) { trial, body in
      trial.record(foundElsewhere, timesSeen(trial, body))
    }
  }

  private func timesSeen(_ trial: Trial, _ body: (MyDataContext) -> Void) -> Int {
    (0..<trial[repeats]).count { _ in
      let data = MyDataContext()
      body(data)
      return data.state.wasSeen
    }
  }

  /// A probe whose body stores data in one task and reads the data in a child task. The probe counts the repetitions in
  /// which the child task did not find the data.
  var shareAmongTasks: Probe<@Sendable (MyDataContext) async -> Void> {
    Probe(reads: [repeats], records: [notFound]) { trial, body in
      try waitFor {
        var count = 0
        for _ in 0..<trial[repeats] {
          let data = MyDataContext()
          await body(data)
          if !data.state.wasSeen { count += 1 }
        }
        trial.record(notFound, count)
      }
    }
  }

  /// A probe that creates queues with data, releases each queue while its last block runs, and records when the data of
  /// the queue is cleaned up. After each of these queues, the probe releases an idle queue, and counts the idle queues
  /// whose data is cleaned up within the release.
  ///
  /// The first queue is the warm-up. The probe observes this queue for 10 ms in each of two states: with a reference
  /// and without blocks, and with a block and without references.
  var clean: Probe<@Sendable (MyDataContext) -> RetainedQueue> {
    Probe(reads: [repeats], records: [notOnce, earlyCleanups, inRelease, cleanupLatency]) { trial, make in
      var (early, inRelease) = (0, 0)
      var all: [MyDataContext] = []
      for repeated in 0...trial[repeats] {
        let data = MyDataContext(observedFor: repeated == 0 ? .milliseconds(10) : .zero)
        let queue = make(data)
        queue.runOne()
        queue.retainAndRelease()
        data.lookWhileReferenced()
        queue.async { data.lastBlock() }
        queue.release()
        data.wasReleased()
        data.awaitEnd(within: .seconds(20))
        all.append(data)
        if data.state.wasEarly { early += 1 }
        if repeated > 0, let time = data.timeToCleanUp { trial.record(cleanupLatency, time) }
        // A queue without blocks has only the trial's reference, so only this release can free the queue.
        let idle = MyDataContext()
        make(idle).release()
        idle.awaitCleanUp(within: .seconds(20))
        all.append(idle)
        if idle.isCleanedUpHere { inRelease += 1 }
      }
      trial.record(self.inRelease, inRelease)
      // The clean-ups are counted last, since a second clean-up would follow the first one, for which the trial waits.
      trial.record(notOnce, all.count { $0.state.cleanUps != 1 })
      trial.record(earlyCleanups, early)
    }
  }

  /// A probe that releases idle queues with a suspended target, and counts the queues whose data is not cleaned up
  /// before the target is resumed. The trial is unavailable if the system does not report the states of threads.
  var holdBack: Probe<@Sendable (MyDataContext, _ target: UnsafeMutableRawPointer?) -> RetainedQueue> {
    Probe(reads: [repeats], records: [heldBack, notOnce]) { trial, make in
      let standstill = Standstill()
      try standstill.warmUp()
      let target = gcdlab_dispatch_queue_create("com.example.Target", nil)
      defer { gcdlab_dispatch_release(target) }
      gcdlab_dispatch_suspend(target)
      let all = (0..<trial[repeats]).map { _ in MyDataContext() }
      for data in all { make(data, target).release() }
      try standstill.wait()
      trial.record(heldBack, all.count { $0.state.cleanUps == 0 })
      gcdlab_dispatch_resume(target)
      for data in all { data.awaitCleanUp(within: .seconds(20)) }
      trial.record(notOnce, all.count { $0.state.cleanUps != 1 })
    }
  }

  /// Returns a probe that releases queues one after the other, and counts the queues whose memory the next call of
  /// `malloc` returns.
  ///
  /// If `malloc` returns the memory of a queue, the queue was freed. Since a thread caches the memory that it frees,
  /// the calling thread freed the queue during the release.
  ///
  /// The trial is unavailable if `malloc` withholds freed memory, as the `malloc` of AddressSanitizer does.
  ///
  /// - Parameter isBusy: whether a block of the queue runs during the release; if false, the queue is idle.
  func reuse(isBusy: Bool = false) -> Probe<@Sendable (UnsafeMutableRawPointer) -> Void> {
    Probe(reads: [repeats], records: [reused]) { trial, release in
      var memory = FreedMemory(rounds: trial[repeats] + 2)
      guard let piece = malloc(200), memory.isReused(piece, { free($0) }) else {
        throw Unavailable("malloc does not return freed memory at once")
      }
      var count = 0
      for repeated in 0...trial[repeats] {
        guard let queue = gcdlab_dispatch_queue_create("com.example.MyQueue", nil) else { continue }
        gcdlab_dispatch_sync_f(queue, nil) { _ in }
        let hold = isBusy ? Hold(queueOf: RetainedQueue(created: queue).async) : nil
        defer { hold?.release() }
        if memory.isReused(queue, release), repeated > 0 { count += 1 }
      }
      trial.record(reused, count)
    }
  }

  /// A probe that releases queues without a context, and counts the finalizers that ran without a context. Before the
  /// probe counts, it releases a queue with a context, and waits for the finalizer of this queue.
  var releaseQueue: Probe<@Sendable () -> RetainedQueue> {
    Probe(reads: [repeats], records: [withoutContext]) { trial, make in
      let before = MyDataContext.cleanUpsWithout.count
      for _ in 0..<trial[repeats] {
        let queue = make()
        queue.runOne()
        queue.release()
      }
      let data = MyDataContext(observedFor: .milliseconds(10))
      let last = gcdlab_dispatch_queue_create("last", nil)
      gcdlab_dispatch_set_context(last, data.pointer)
      gcdlab_dispatch_set_finalizer_f(last) { MyDataContext.at($0).cleanUp() }
      RetainedQueue(created: last).release()
      data.awaitCleanUp(within: .seconds(20))
      // Dispatch frees the queues on its own threads, and this wait gives those threads some more time.
      data.lookAfterwards()
      trial.record(withoutContext, MyDataContext.cleanUpsWithout.count - before)
    }
  }

  /// Requests a global queue with each single-bit flag, and records the number of accepted flags. The flag 2, which
  /// requests an overcommit queue, is recorded separately.
  ///
  /// Then releases the queue for the flag 0 a thousand times, if there is such a queue. Records whether Dispatch still
  /// returns this queue, and the number of blocks that the queue does not run exactly once.
  ///
  /// - Parameters:
  ///   - patience: the maximum time to wait for the blocks.
  ///   - get: a closure that returns the global queue for a flag, or nil if the flag is refused.
  ///   - release: a closure that releases a queue.
  func askForGlobal(
    _ trial: Trial, within patience: Duration = .seconds(20), _ get: (UInt) -> UnsafeMutableRawPointer?,
    release: (UnsafeMutableRawPointer) -> Void
  ) {
    let flags = (0..<UInt.bitWidth).map { UInt(1) << UInt($0) }
    trial.record(acceptedFlags, flags.count { $0 != 2 && get($0) != nil })
    guard let queue = get(0) else { return }
    trial.record(overcommitQueues, get(2).map { $0 != queue } == true ? 1 : 0)
    for _ in 0..<1000 { release(queue) }
    trial.record(changed, get(0) == queue ? 0 : 1)
    trial.record(lost, notOnce(queue, within: patience))
  }

  /// Calls `release` a thousand times for each queue, and then records the number of blocks that the queues do not run
  /// exactly once.
  ///
  /// - Parameters:
  ///   - patience: the maximum time to wait for the blocks of a queue.
  ///   - release: a closure that releases a queue more often than it retains the queue.
  func overRelease(
    _ trial: Trial, _ queues: [UnsafeMutableRawPointer?], within patience: Duration = .seconds(20),
    release: (UnsafeMutableRawPointer?) -> Void
  ) {
    for queue in queues {
      for _ in 0..<1000 { release(queue) }
    }
    trial.record(lost, queues.sum { notOnce($0, within: patience) })
  }

  /// Submits a hundred blocks to a queue. Returns the number of blocks that have not run exactly once within
  /// `patience`.
  private func notOnce(_ queue: UnsafeMutableRawPointer?, within patience: Duration) -> Int {
    let blocks = ExecutionCounts(count: 100)
    let all = DispatchGroup()
    let held = RetainedQueue(created: queue)
    for index in 0..<blocks.count {
      all.enter()
      held.async {
        blocks.ran(index)
        all.leave()
      }
    }
    all.wait(within: patience)
    return blocks.notOnce
  }
}

/// A change that a trial makes to a global queue.
enum QueueChange {
  /// A new context of the queue.
  case context(UnsafeMutableRawPointer)
  /// A new queue-specific value, with its key.
  case value(key: UnsafeMutableRawPointer, UnsafeMutableRawPointer)
  /// A new target of the queue.
  case target(UnsafeMutableRawPointer?)
  /// A suspension of the queue.
  case suspension
}

extension QueueContext {
  /// Calls `change` with each kind of change in turn, and records the number of changes that took effect. The
  /// queue-specific value is recorded separately.
  ///
  /// - Parameters:
  ///   - patience: the maximum time to wait for a block of the queue. If the block has not run by then, the new target
  ///     or the suspension took effect.
  ///   - change: a closure that makes a change to the queue.
  func modify(
    _ trial: Trial, _ queue: UnsafeMutableRawPointer?, within patience: Duration = .seconds(20),
    _ change: (UnsafeMutableRawPointer?, QueueChange) -> Void
  ) {
    let held = RetainedQueue(created: queue)
    let data = MyDataContext().pointer
    change(queue, .context(data))
    var count = gcdlab_dispatch_get_context(queue) == data ? 1 : 0
    nonisolated(unsafe) let key = data
    let value = Mutex<Bool>(false)
    change(queue, .value(key: key, data))
    held.runOne { value.withLock { $0 = gcdlab_dispatch_get_specific(key) == key } }
    trial.record(keyedValues, value.withLock { $0 } ? 1 : 0)
    let target = gcdlab_dispatch_queue_create("com.example.Target", nil)
    gcdlab_dispatch_suspend(target)
    for next in [QueueChange.target(target), .suspension] {
      change(queue, next)
      if !held.runOne(within: patience) { count += 1 }
    }
    gcdlab_dispatch_resume(target)
    trial.record(modified, count)
  }
}

/// The results of `dispatch_get_current_queue`, in blocks and outside of blocks.
final class QueueAnswers: Sendable {
  /// A queue whose blocks call `dispatch_get_current_queue`.
  struct AskingQueue: Sendable {
    /// A closure that submits a block to the queue asynchronously.
    let async: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// A closure that runs a block on the queue, and waits until the block has ended.
    let sync: @Sendable (() -> Void) -> Void
    fileprivate let isNamed: @Sendable (UnsafeMutableRawPointer?) -> Bool

    fileprivate init(_ queue: DispatchQueue) {
      async = { queue.async(execute: $0) }
      sync = { queue.sync(execute: $0) }
      // No other queue has this label.
      isNamed = { [label = queue.label] answer in
        gcdlab_dispatch_queue_get_label(answer).map { String(cString: $0) } == label
      }
    }

    fileprivate init(global identifier: Int, _ queue: DispatchQueue) {
      async = { queue.async(execute: $0) }
      sync = { queue.sync(execute: $0) }
      isNamed = { $0 == gcdlab_dispatch_get_global_queue(identifier, 0) }
    }
  }

  /// The queues whose blocks call `dispatch_get_current_queue`: a serial queue, a queue that targets the serial queue,
  /// a concurrent queue, and the global queues of default and low priority.
  let queues: [AskingQueue]
  private let all = DispatchGroup()
  private let state = Mutex((otherQueue: 0, overcommitting: 0, main: 0))

  /// Creates the queues and an empty record of results.
  init() {
    let serial = DispatchQueue(label: "com.example.MySerialQueue")
    let targeting = DispatchQueue(label: "com.example.MyTargetingQueue", target: serial)
    let concurrent = DispatchQueue(label: "com.example.MyConcurrentQueue", attributes: .concurrent)
    queues =
      [serial, targeting, concurrent].map { AskingQueue($0) }
      + [AskingQueue(global: 0, .global()), AskingQueue(global: -2, .global(qos: .utility))]
    // Each queue runs two blocks, and two threads call the function outside of blocks: the main thread and the trial's
    // thread.
    for _ in 0..<2 * queues.count + 2 { all.enter() }
  }

  /// Records the result of a call of `dispatch_get_current_queue` in a block of `queue`.
  func inside(_ answer: UnsafeMutableRawPointer?, of queue: AskingQueue) {
    if !queue.isNamed(answer) { state.withLock { $0.otherQueue += 1 } }
    all.leave()
  }

  /// Records the result of a call of `dispatch_get_current_queue` on the main thread, outside of blocks.
  func onMainThread(_ answer: UnsafeMutableRawPointer?) {
    if answer == gcdlab_main_queue() { state.withLock { $0.main += 1 } }
    all.leave()
  }

  /// Records the result of a call of `dispatch_get_current_queue` on another thread, outside of blocks.
  func onOtherThread(_ answer: UnsafeMutableRawPointer?) {
    if answer == gcdlab_dispatch_get_global_queue(0, 2) { state.withLock { $0.overcommitting += 1 } }
    all.leave()
  }

  /// Waits for all results, and records the counts of the results in the metrics of `pattern`.
  func record(_ trial: Trial, _ pattern: QueueContext) {
    all.wait()
    let seen = state.withLock { $0 }
    trial.record(pattern.wrongQueue, seen.otherQueue)
    trial.record(pattern.gotOvercommitQueue, seen.overcommitting)
    trial.record(pattern.gotMainQueue, seen.main)
  }
}
