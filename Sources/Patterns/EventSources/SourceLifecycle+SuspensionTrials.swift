import Dispatch
import Instruments

/// The code that sends events to sources that are inactive, suspended or waiting for their queue.
extension SourceLifecycle {
  /// A probe for a body that sends events while a source is inactive or suspended, or while its queue is blocked, and
  /// then allows the handler to run. The probe counts the handler calls that deliver the events. The body returns a
  /// closure that cancels the source.
  ///
  /// The first source is a warm-up for the latency, and is also observed for early handler calls.
  var holdBack: Probe<@Sendable (SourceLife) throws -> () -> Void> {
    Probe(reads: [repeats, events], records: heldMetrics) { trial, body in try holdBackEach(trial, body) }
  }

  private var heldMetrics: [any Declaration] { [callsWhileSuspended, handlerCalls, wrongSums, resumeToRun] }

  private func holdBackEach(_ trial: Trial, _ body: (SourceLife) throws -> () -> Void) rethrows {
    let count = trial[events]
    let all = try (0...trial[repeats]).map { repeated in
      let life = SourceLife(events: count, observedFor: repeated == 0 ? .milliseconds(10) : .zero)
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

  /// A probe for read sources that are suspended, or whose queue is blocked, while bytes arrive in their pipes. In
  /// addition to the metrics of ``holdBack``, the probe counts the sources whose first estimate is less than the number
  /// of available bytes.
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
/// Conformance to `Sendable` is unchecked: one thread at a time uses the descriptors.
final class PipeOfBytes: @unchecked Sendable {
  /// The descriptor to read from.
  let reader: Int32
  private let writer: Int32
  private let standstill: Standstill
  private let first = WaitableValue<Int?>(nil)
  private let watch = DispatchSemaphore(value: 0)

  /// Creates an empty pipe with a non-blocking reading end.
  ///
  /// - Throws: ``SystemError`` if the pipe cannot be created.
  fileprivate init(_ standstill: Standstill) throws(SystemError) {
    (reader, writer) = try makePipe()
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    self.standstill = standstill
  }

  /// Records that the source is registered with the kernel.
  func recordRegistration() { watch.signal() }

  /// Waits until the source is registered. A source that was suspended before its registration is not registered until
  /// it is resumed.
  func awaitWatch() { watch.wait() }

  /// Writes `count` bytes, and waits for a standstill after the first byte, so that Dispatch receives the event of that
  /// byte separately.
  ///
  /// - Throws: ``Unavailable`` if the system does not report thread states.
  func send(_ count: Int) throws {
    var byte: UInt8 = 1
    for index in 0..<count {
      write(writer, &byte, 1)
      if index == 0 { try standstill.wait() }
    }
  }

  /// Records the source's estimate of the available bytes at the first handler call. Later calls have no effect.
  func estimates(_ bytes: UInt) { first.note { $0 = $0 ?? Int(bytes) } }

  /// Reads up to `estimated` bytes, and returns the number of bytes read.
  func readOnly(_ estimated: UInt) -> UInt {
    var bytes = [UInt8](repeating: 0, count: Int(estimated))
    return UInt(max(0, read(reader, &bytes, bytes.count)))
  }

  /// Closes both ends of the pipe.
  func closeEnds() {
    close(reader)
    close(writer)
  }

  /// The estimate of the first handler call, in bytes; nil if no handler was called.
  fileprivate var firstEstimate: Int? { first.now }
}
