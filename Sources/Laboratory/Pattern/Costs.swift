import Measurement
import Platform

extension Metric {
  private static let absence = "the system does not tell"

  /// What every completed trial has cost the machine, whatever the pattern, by the kernel's own accounts of its
  /// process.
  public static let costs: [Metric] = [
    Metric(
      "processor-time", .latency, .nanoseconds, unless: absence, isSpeed: false,
      "processor time of all threads in the body of a trial, or in the spans that it names"),
    Metric(
      "voluntary-switches", .count, .none, better: .lower, unless: absence,
      "how often a thread went to sleep meanwhile"),
    Metric(
      "involuntary-switches", .count, .none, better: .lower, unless: absence,
      "how often a thread that could have run lost its core meanwhile"),
    Metric(
      "peak-thread-count", .count, .none, better: .lower, unless: absence,
      "threads that the trial's process had at once, those included that linger when it ends"),
    Metric(
      "peak-memory", .count, .bytes, better: .lower, unless: absence,
      "the most memory that the trial's process held at once, the lab's own part included"),
  ]
}

/// Takes the readings of what a trial costs.
///
/// The span is the trial's body. One that sets up, waits for others or warms up within says itself what it measures
/// (``Trial/measuring(_:)``), and what is outside is in none of the figures. Nothing is read in between, where
/// something may be timed.
struct CostMeter {
  private let begun = ProcessCosts.soFar()
  private var used = ProcessCosts()
  private var isTold = false

  /// Adds a span that the body has named.
  mutating func add(from start: ProcessCosts?, to end: ProcessCosts?) {
    isTold = true
    if let start, let end { used.add(from: start, to: end) }
  }

  /// Ends the span and writes down what there is.
  mutating func end(in observation: inout Observation) {
    if !isTold { add(from: begun, to: ProcessCosts.soFar()) }
    var values: [Double?] = [nil, nil, nil]
    if begun != nil {
      values = [
        Double(used.processorTime), Double(used.switches.voluntary), Double(used.switches.involuntary),
      ]
    }
    values += [ThreadCensus.peakCount().map { Double($0) }, Host.peakMemory.map { Double($0) }]
    for (metric, value) in zip(Metric.costs, values) { value.map { observation.record(metric.name, $0) } }
  }
}
