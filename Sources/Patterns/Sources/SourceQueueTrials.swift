import Dispatch
import Instruments

/// The measuring code for changing the target queue of a source, and for releasing all references to a source's queue
/// but its own.
extension SourceLifecycle {
  /// Creates a source on a queue.
  typealias MakeOnQueue = @Sendable (QueueLife) -> SourceControls

  /// Gives one source after the other another target queue while its handler is pending on the old one, and notes where
  /// the handler runs.
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
        if targets.first != .old { moved += 1 }
        stray += targets.count { $0 == nil }
      }
      trial.record(ranOnNewQueue, moved)
      trial.record(ranElsewhere, stray)
    }
  }

  /// Sends an event to a source that holds the only reference to its queue, drops the source, and waits until the queue
  /// is freed.
  ///
  /// The first source is watched for a while before that.
  ///
  /// - Parameter leaves: how long the trial waits for a queue that is not freed.
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

/// A source and its queue, as the source's handler and the queue report them.
final class QueueLife: Sendable {
  /// The queue of the source's handler, or the target of that queue.
  let queue = DispatchQueue(label: "events")
  /// The key by which the source's own queue owns an object.
  let key = DispatchSpecificKey<DeallocationObserver>()
  /// The reports so far.
  let state = WaitableValue(State())
  private let target = DispatchSpecificKey<Target>()

  /// One of the two target queues of a source.
  enum Target: Sendable { case old, new }

  /// The reports of a source and its queue.
  struct State {
    /// The target queues on which the handler ran; nil for neither of the two.
    var targets: [Target?] = []
    /// Whether the handler ran last on the source's own queue.
    var ranInQueue = false
    /// Whether the source's own queue was freed.
    var isQueueGone = false
    /// The number of handler runs.
    var runs: Int { targets.count }
  }

  /// Notes a call of the event handler.
  func received(_ data: UInt) {
    let (target, isOwn) = (DispatchQueue.getSpecific(key: target), DispatchQueue.getSpecific(key: key) != nil)
    state.note { state in
      state.targets.append(target)
      state.ranInQueue = isOwn
    }
  }

  /// Notes that the source's own queue was freed.
  func queueWent() { state.note { $0.isQueueGone = true } }

  /// Gives a target queue a name that its blocks can read.
  func name(_ queue: DispatchQueue, _ name: Target) { queue.setSpecific(key: target, value: name) }
}
