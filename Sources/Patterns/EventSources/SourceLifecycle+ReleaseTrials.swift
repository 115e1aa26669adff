import Dispatch
import Instruments

/// The code that releases a source while a handler call is pending.
extension SourceLifecycle {
  /// Returns a probe that releases the program's reference to each source in turn, and then unblocks the queue of the
  /// source. Before the release, the queue is held and a handler call is pending.
  ///
  /// - Parameter leaves: the maximum time to wait until a queue is freed.
  func releaseWhilePending(leaves: Duration = .seconds(20)) -> Probe<@Sendable (QueueLife) -> Void> {
    Probe(reads: [repeats], records: [handlerRan, queueLeaked]) { trial, make in
      var (ran, left) = (0, 0)
      for _ in 0..<trial[repeats] {
        let life = QueueLife()
        let hold = life.queue.hold()
        make(life)
        hold.release()
        if !life.state.wait(within: leaves, until: \.isQueueGone) { left += 1 }
        life.queue.drainSources()
        if life.state.runs > 0 { ran += 1 }
      }
      trial.record(handlerRan, ran)
      trial.record(queueLeaked, left)
    }
  }
}
