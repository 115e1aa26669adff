import Dispatch
import Instruments

/// The measuring code for releasing a source while its handler is pending.
extension SourceLifecycle {
  /// Releases one source after the other while its queue is held and its handler pending, then lets the queue continue.
  ///
  /// - Parameter leaves: how long the trial waits for a queue that is not freed.
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
