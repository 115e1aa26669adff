import Dispatch
import Instruments

/// The code that changes the target queue of a source, and that releases all references to a source's queue except the
/// reference of the source.
extension SourceLifecycle {
  /// A closure that creates a source with a queue.
  typealias MakeOnQueue = @Sendable (QueueLife) -> SourceControls

  /// A probe that changes the target queue of each source in turn while a handler call is pending on the previous
  /// target queue, and records the queue on which the handler runs.
  var retargetWhilePending: Probe<MakeOnQueue> {
    Probe(reads: [repeats], records: [ranOnNewQueue, ranElsewhere]) { trial, make in
      var (moved, stray) = (0, 0)
      for _ in 0..<trial[repeats] {
        let life = QueueLife()
        let source = make(life)
        let other = DispatchQueue(label: "new")
        life.name(life.queue, .old)
        life.name(other, .new)
        let hold = life.queue.hold()
        source.add()
        source.retarget(other)
        hold.release()
        life.state.wait(within: .seconds(20)) { $0.runs > 0 }
        source.add()
        life.state.wait(within: .seconds(20)) { $0.runs > 1 }
        source.cancel()
        let targets = life.state.targets
        if targets.first == .new { moved += 1 }
        stray += targets.count { $0 == nil }
      }
      trial.record(ranOnNewQueue, moved)
      trial.record(ranElsewhere, stray)
    }
  }

  /// Returns a probe for sources that hold the only reference to their queue. The probe sends an event to each source,
  /// cancels and releases the source, and waits until the queue is freed.
  ///
  /// The first queue is observed for 10 milliseconds before the event, in case it is freed early.
  ///
  /// - Parameter leaves: the maximum time to wait until a queue is freed.
  func releaseQueue(leaves: Duration = .seconds(20)) -> Probe<MakeOnQueue> {
    Probe(reads: [repeats], records: [queueFreedEarly, queueLeaked]) { trial, make in
      var (gone, left) = (0, 0)
      for repeated in 0..<trial[repeats] {
        let life = QueueLife()
        do {
          let source = make(life)
          if repeated == 0 { life.state.wait(within: .milliseconds(10), until: \.isQueueGone) }
          source.add()
          life.state.wait(within: .seconds(20)) { $0.runs > 0 }
          if life.state.isQueueGone || !life.state.ranInQueue { gone += 1 }
          source.cancel()
        }
        if !life.state.wait(within: leaves, until: \.isQueueGone) { left += 1 }
      }
      trial.record(queueFreedEarly, gone)
      trial.record(queueLeaked, left)
    }
  }
}

/// A record of a source's handler calls and of the lifetime of the source's queue.
final class QueueLife: Sendable {
  /// The queue of the source's handler, or the target queue of that queue.
  let queue = DispatchQueue(label: "events")
  /// The key of an object that the source's own queue retains. The object is freed with the queue.
  let key = DispatchSpecificKey<DeallocationObserver>()
  /// The recorded handler calls, and whether the source's own queue was freed.
  let state = WaitableValue(State())
  private let target = DispatchSpecificKey<Target>()

  /// One of the two target queues of a source.
  enum Target: Sendable { case old, new }

  /// The handler calls of a source, and whether the source's own queue was freed.
  struct State {
    /// The target queue of each handler call; nil if the call ran on neither target queue.
    var targets: [Target?] = []
    /// Whether the last handler call ran on the source's own queue.
    var ranInQueue = false
    /// Whether the source's own queue was freed.
    var isQueueGone = false
    /// The number of handler calls.
    var runs: Int { targets.count }
  }

  /// Records a call of the event handler.
  func received(_ data: UInt) {
    let (target, isOwn) = (DispatchQueue.getSpecific(key: target), DispatchQueue.getSpecific(key: key) != nil)
    state.note { state in
      state.targets.append(target)
      state.ranInQueue = isOwn
    }
  }

  /// Records that the source's own queue was freed.
  func queueWent() { state.note { $0.isQueueGone = true } }

  /// Assigns a name to a target queue. The blocks of the queue can read the name.
  func name(_ queue: DispatchQueue, _ name: Target) { queue.setSpecific(key: target, value: name) }
}
