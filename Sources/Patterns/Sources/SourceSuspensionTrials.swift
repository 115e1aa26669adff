import Dispatch
import Instruments

/// The measuring code for holding a source back while events come.
extension SourceLifecycle {
  /// Holds back one source after the other, as the body does, and counts the calls by which its handler then receives
  /// the events. The body returns a closure that ends the source.
  ///
  /// The first source is the warm-up. It is watched for a while for a call that comes too early.
  var holdBack: Probe<@Sendable (SourceLife) throws -> () -> Void> {
    Probe(reads: [repeats, events], records: heldMetrics) { trial, body in try holdBackEach(trial, body) }
  }

  private var heldMetrics: [any Declaration] { [callsWhileSuspended, handlerCalls, wrongSums, resumeToRun] }

  private func holdBackEach(_ trial: Trial, _ body: (SourceLife) throws -> () -> Void) rethrows {
    let count = trial[events]
    let all = try (0...trial[repeats]).map { repeated in
      let life = SourceLife(events: count, looks: repeated == 0 ? .milliseconds(10) : .zero)
      let end = try body(life)
      life.wait(within: .seconds(20)) { $0.sum >= UInt(count) }
      life.queue.drainSources()
      end()
      return (log: life.log, resumeToRun: life.resumeToRun)
    }
    trial.record(callsWhileSuspended, all.sum { $0.log.early })
    trial.record(handlerCalls, all.map { $0.log.runs - $0.log.early }.max() ?? 0)
    trial.record(wrongSums, all.count { $0.log.sum != UInt(count) })
    trial.record(resumeToRun, all.dropFirst().map { $0.resumeToRun })
  }

  /// Holds back read sources, each of a pipe of its own, and counts those that estimate too few bytes.
  var holdBackReading: Probe<@Sendable (SourceLife, PipeOfBytes) throws -> () -> Void> {
    Probe(reads: [repeats, events], records: heldMetrics + [shortEstimates]) { trial, body in
      let standstill = Standstill()
      try standstill.warmUp()
      var pipes: [PipeOfBytes] = []
      try holdBackEach(trial) { life in
        let pipe = try PipeOfBytes(standstill)
        pipes.append(pipe)
        return try body(life, pipe)
      }
      trial.record(shortEstimates, pipes.count { ($0.firstEstimate ?? .max) < trial[events] })
    }
  }
}

/// A pipe into which single bytes are written.
///
/// Unchecked: the descriptors are used by one thread after the other.
final class PipeOfBytes: @unchecked Sendable {
  /// The descriptor to read from.
  let reader: Int32
  private let writer: Int32
  private let standstill: Standstill
  private let first = WaitableValue<Int?>(nil)
  private let watch = DispatchSemaphore(value: 0)

  /// Creates an empty pipe, whose reading end does not block.
  ///
  /// - Throws: ``SystemError`` if it cannot be created.
  fileprivate init(_ standstill: Standstill) throws(SystemError) {
    (reader, writer) = try makePipe()
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    self.standstill = standstill
  }

  /// Notes that the source has registered with the kernel.
  func isWatched() { watch.signal() }

  /// Waits until the source has registered. A source that was suspended earlier registers only when it is resumed.
  func awaitWatch() { watch.wait() }

  /// Writes a byte, waits until Dispatch has had time to learn of the byte, and writes the others.
  ///
  /// - Throws: ``Unavailable`` if the system does not report what threads do.
  func send(_ count: Int) throws {
    var byte: UInt8 = 1
    for index in 0..<count {
      write(writer, &byte, 1)
      if index == 0 { try standstill.wait() }
    }
  }

  /// Notes the estimate of a handler call.
  func estimates(_ bytes: UInt) { first.note { $0 = $0 ?? Int(bytes) } }

  /// Reads as many bytes as estimated, and returns how many there were.
  func readOnly(_ estimated: UInt) -> UInt {
    var bytes = [UInt8](repeating: 0, count: Int(estimated))
    return UInt(max(0, read(reader, &bytes, bytes.count)))
  }

  /// Closes both ends.
  func closeEnds() {
    close(reader)
    close(writer)
  }

  /// The estimate of the first handler call; nil if there was none.
  fileprivate var firstEstimate: Int? { first.now }
}
