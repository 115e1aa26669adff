import Dispatch
import Instruments

/// The measuring code for holding a source back while events come.
extension SourceLifecycle {
  /// Holds back one source after the other, as `body` does, and counts the calls by which its handler then receives the
  /// events.
  ///
  /// The first source is the warm-up. It is watched for a while for a call that comes too early.
  ///
  /// - Parameter body: returns what ends the source.
  func holdBack(_ trial: Trial, patience: Duration = .seconds(20), _ body: (SourceLife) -> () -> Void) {
    let (count, repeats) = (trial[events], trial[repeats])
    var (early, most, inexact) = (0, 0, 0)
    var times: [UInt64?] = []
    for repeated in 0...repeats {
      let life = SourceLife(events: count, looks: repeated == 0 ? .milliseconds(10) : .zero)
      let end = body(life)
      life.wait(within: patience) { $0.sum >= UInt(count) }
      life.queue.drainSources()
      end()
      let log = life.log
      early += log.early
      most = max(most, log.runs - log.early)
      if log.sum != UInt(count) { inexact += 1 }
      if repeated > 0 { times.append(life.resumeToRun) }
    }
    trial.record(callsWhileSuspended, early)
    trial.record(handlerCalls, most)
    trial.record(wrongSums, inexact)
    trial.record(resumeToRun, times)
  }
}
