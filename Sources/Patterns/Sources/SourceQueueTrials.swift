import Dispatch
import Instruments

/// The measuring code for giving a source another queue, and for releasing all other references to its queue.
extension SourceLifecycle {
  /// Gives one source after the other another target queue while its handler is pending on the old one, and notes where
  /// it runs.
  var retargetWhilePending: Probe<Make> {
    Probe(reads: [repeats], records: [ranOnNewQueue, ranElsewhere]) { trial, make in
      var (moved, stray) = (0, 0)
      for _ in 0..<trial[repeats] {
        let life = SourceLife(events: 1)
        let source = make(life)
        let other = DispatchQueue(label: "new")
        life.name(life.queue, .old)
        life.name(other, .new)
        let hold = life.queue.hold()
        source.add()
        source.retarget(other)
        hold.release()
        life.wait(within: .seconds(20)) { $0.runs > 0 }
        source.add()
        life.wait(within: .seconds(20)) { $0.runs > 1 }
        source.cancel()
        let places = life.log.places
        if places.first != .old { moved += 1 }
        stray += places.count { $0 == nil }
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
  func releaseQueue(leaves: Duration = .seconds(20)) -> Probe<Make> {
    Probe(reads: [repeats], records: [queueFreedEarly, queueLeaked]) { trial, make in
      var (gone, left) = (0, 0)
      for repeated in 0..<trial[repeats] {
        let life = SourceLife(events: 1, looks: repeated == 0 ? .milliseconds(10) : .zero)
        do {
          let source = make(life)
          life.look()
          source.add()
          life.wait(within: .seconds(20)) { $0.runs > 0 }
          if life.state.isQueueGone || !life.log.wasInQueue { gone += 1 }
          source.cancel()
        }
        if !life.state.wait(within: leaves, until: \.isQueueGone) { left += 1 }
      }
      trial.record(queueFreedEarly, gone)
      trial.record(queueLeaked, left)
    }
  }
}
