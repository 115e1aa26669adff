import Measurement
import Platform

extension Metric {
  private static let absence = "the system does not report this cost"

  static let processorTime = Metric(
    "processor-time", .latency, .nanoseconds, missingIf: absence, isAmount: true,
    "processor time of all threads in the body of a trial, its preparations and checks included")
  static let voluntarySwitches = Metric(
    "voluntary-switches", .count, .none, better: .lower, missingIf: absence,
    "how often a thread went to sleep during the body")
  static let involuntarySwitches = Metric(
    "involuntary-switches", .count, .none, better: .lower, missingIf: absence,
    "how often a thread that could have run lost its core during the body")
  static let peakThreadCount = Metric(
    "peak-thread-count", .count, .none, better: .lower, missingIf: absence,
    "all threads that the trial's process had at once, including the lab's own, those of its setup, and idle ones")
  static let peakMemory = Metric(
    "peak-memory", .count, .bytes, better: .lower, missingIf: absence,
    "the most memory that the trial's process held at once, including the lab's own part")

  /// The metrics of costs, from the kernel's accounts of the process. The lab records the costs of every measured trial
  /// that completes, if the system reports them.
  public static let costs = [processorTime, voluntarySwitches, involuntarySwitches, peakThreadCount, peakMemory]
}

/// A meter of the costs of a trial's body. The meter reads no counters while the body runs, since the body may time its
/// own work.
struct CostMeter {
  private let begun = ProcessCosts.soFar()

  /// Ends the measurement and records the costs in `observation`. A cost that the system does not report is not
  /// recorded.
  func end(in observation: inout Observation) {
    let used = begun.flatMap { begun in ProcessCosts.soFar()?.since(begun) }
    func record(_ metric: Metric, _ value: Double?) { value.map { observation.record(metric.name, $0) } }
    record(.processorTime, used.map { Double($0.processorTime) })
    record(.voluntarySwitches, used.map { Double($0.switches.voluntary) })
    record(.involuntarySwitches, used.map { Double($0.switches.involuntary) })
    record(.peakThreadCount, ThreadCensus.peakCount().map { Double($0) })
    record(.peakMemory, Host.peakMemory.map { Double($0) })
  }
}
