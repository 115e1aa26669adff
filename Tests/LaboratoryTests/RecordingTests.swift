import LabTesting
import Measurement
import Testing

@testable import Laboratory

/// Tests of the samples that a trial's body records.
@Suite struct RecordingTests {
  private let delay = Metric.latency("delay", "how long it took")
  private let trial = Trial(variant: "loop", work: Machine.test.work, cores: 2)

  @Test func `a duration is recorded in nanoseconds, and a negative duration as 0`() {
    trial.record(delay, .microseconds(3))
    trial.record(delay, .milliseconds(-1))
    #expect(trial.observation.samples("delay") == .values([3000, 0]))
  }

  @Test func `the duration of operations that were timed together is divided by their number`() {
    trial.record(delay, .microseconds(30), over: 10)
    #expect(trial.observation.samples("delay") == .values([3000]) && trial.observation.batch("delay") == 10)
  }
}
