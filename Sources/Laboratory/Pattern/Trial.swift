import Dispatch
import Measurement
import Platform
import Synchronization

/// The context of one run of a variant's body: it has the settings, and records what the body measures.
///
/// Reading a setting and recording take a lock. Do both outside the code that is timed.
public final class Trial: Sendable {
  /// The name of the variant.
  public let variant: String
  /// The seed for everything random in the trial.
  public let seed: UInt64
  /// Work of a known length, at the same speed for all workers of a run.
  public let work: CalibratedWork
  /// The number of cores that the process may use.
  public let cores: Int
  /// The highest number of blocks that Dispatch runs at once: the number of all cores, including those that this
  /// process may not use.
  public let poolWidth: Int
  private let parameters: [String: ParameterValue]
  private let shortages: Set<String>
  private let announce: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    var observation = Observation()
    var reads: Set<String> = []
    var isAtHazard = false
    var found: Set<String> = []
    /// The meter of the trial's costs; nil if the costs are not requested.
    var costs: CostMeter?
  }

  /// Creates a trial of `variant`. A setting that is missing in `parameters` has its default.
  package init(
    variant: String, parameters: [String: ParameterValue] = [:], seed: UInt64 = 1, work: CalibratedWork, cores: Int,
    poolWidth: Int? = nil, shortages: Set<String> = [], announce: @escaping @Sendable () -> Void = {}
  ) {
    self.variant = variant
    self.parameters = parameters
    self.seed = seed
    self.work = work
    self.cores = cores
    self.shortages = shortages
    self.poolWidth = poolWidth ?? cores
    self.announce = announce
  }

  /// The value of a parameter in this trial.
  ///
  /// The lab has checked the value before it started the worker. If a request has an invalid value, it does not come
  /// from the lab, and the process ends.
  public subscript<Value>(parameter: ParameterKey<Value>) -> Value {
    state.withLock { _ = $0.reads.insert(parameter.name) }
    do { return try parameter.value(parameters[parameter.name]) } catch { Self.refuse(error.description) }
  }

  /// Returns the value of a duration, by its description.
  func duration(_ parameter: Parameter) -> Duration {
    if case .integer(let nanoseconds) = parameters[parameter.name] ?? parameter.standard {
      .nanoseconds(nanoseconds)
    } else {
      .zero
    }
  }

  /// Returns the number of steps of calibrated work that take the time of a parameter.
  public func steps(_ parameter: ParameterKey<Duration>) -> Int {
    work.steps(nanoseconds: Int(self[parameter].nanoseconds))
  }

  /// Marks the point from which the body is expected to trap or to hang. The time to the end starts here.
  public func hazard() {
    let isFirst = state.withLock { state in
      defer { state.isAtHazard = true }
      return !state.isAtHazard
    }
    if isFirst { announce() }
  }

  /// Notes that the trial waited for something that the machine could not provide at the time, such as a core that no
  /// other program uses. Once several trials of a run have noted the same thing, the lab passes it on to the later
  /// trials (``isKnownToLack(_:)``), and the run has a warning.
  ///
  /// - Parameter thing: the missing thing, as the subject of a sentence: `a second core`.
  public func lacks(_ thing: String) { state.withLock { _ = $0.found.insert(thing) } }

  /// Returns whether earlier trials found that the machine lacks something, so that waiting for it again would be in
  /// vain.
  public func isKnownToLack(_ thing: String) -> Bool { shortages.contains(thing) }

  // MARK: Recording

  /// Records a duration in nanoseconds. If `operations` were timed together, it is the time of one of them, and they
  /// share the noise floor.
  public func record(_ metric: MetricKey<Duration>, _ nanoseconds: UInt64, over operations: Int = 1) {
    let operations = max(1, operations)
    note { $0.record(metric.name, Double(nanoseconds) / Double(operations), batch: operations) }
  }

  /// Records a duration; a negative one counts as 0. If `operations` were timed together, it is the time of one of
  /// them.
  public func record(_ metric: MetricKey<Duration>, _ duration: Duration, over operations: Int = 1) {
    record(metric, duration.nanoseconds, over: operations)
  }

  /// Records all durations of a histogram, in nanoseconds. An empty histogram records nothing.
  public func record(_ metric: MetricKey<Duration>, _ histogram: LatencyHistogram) {
    note { $0.record(metric.name, histogram) }
  }

  /// Records how long the loop that timed `metric` takes around an operation that does nothing. Reports show this time
  /// as the noise floor of the figures, in place of the lab's own. It is not subtracted from any figure.
  ///
  /// - Parameters:
  ///   - nanoseconds: the times of the loop. Their median counts; an empty array records nothing.
  ///   - operations: the number of operations in the loop.
  public func recordFloor(_ metric: MetricKey<Duration>, _ nanoseconds: [UInt64], over operations: Int) {
    guard let median = Summary(nanoseconds.map { Double($0) })?.p50 else { return }
    note { $0.recordFloor(metric.name, median / Double(max(1, operations))) }
  }

  /// Records one more count.
  public func record(_ metric: MetricKey<Int>, _ count: Int) { note { $0.record(metric.name, count) } }

  /// Records all counts of a histogram.
  public func record(_ metric: MetricKey<Int>, _ histogram: LatencyHistogram) {
    note { $0.record(metric.name, histogram) }
  }

  /// Records a rate, a share or a ratio in the metric's unit. A value that is not finite is not recorded.
  public func record(_ metric: MetricKey<Double>, _ value: Double) { note { $0.record(metric.name, value) } }

  private func note(_ record: (inout Observation) -> Void) {
    state.withLock { record(&$0.observation) }
  }

  // MARK: Costs

  /// Runs `body`, and counts its costs as those of the trial: processor time and context switches of all threads.
  /// Several such spans add up. A trial without spans has the costs of its whole body.
  ///
  /// The two readings take about a microsecond each, and are outside of what `body` times. Spans must not overlap.
  public func measuring<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let start = ProcessCosts.soFar()
    defer {
      let end = ProcessCosts.soFar()
      state.withLock { $0.costs?.add(from: start, to: end) }
    }
    return try body()
  }

  /// Starts to measure the costs of the body, which is all that this process runs.
  func beginCosts() { state.withLock { $0.costs = CostMeter() } }

  /// Ends the measurement of the costs, after the body.
  func endCosts() {
    state.withLock { state in
      state.costs?.end(in: &state.observation)
      state.costs = nil
    }
  }

  /// The observations that were recorded so far.
  package var observation: Observation { state.withLock { $0.observation } }
  /// The features that the machine was found to lack so far.
  var found: Set<String> { state.withLock { $0.found } }
  /// The names of the settings that were read so far.
  package var reads: Set<String> { state.withLock { $0.reads } }
}

/// The machine does not allow a trial. The variant is then unavailable for this reason, and has neither kept nor broken
/// a promise.
public struct Unavailable: Error, Sendable, CustomStringConvertible {
  /// A thread that could run and got less than this share of a core was starved. What it did not do in its time says
  /// nothing.
  public static let starvedShare = 0.05

  /// A description of the requirement, and of the machine.
  public let description: String

  /// Creates a reason that says what was needed, and what the machine has.
  public init(_ description: String) { self.description = description }
}

/// Runs asynchronous work and waits for its end. Call it on a thread outside all pools, which may block.
///
/// - Throws: the error that `body` throws.
public func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let box = AsyncResult<Result>()
  Task {
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    box.result.withLock { $0 = result }
    box.isDone.signal()
  }
  while true {
    box.isDone.wait()
    if let result = box.result.withLock({ $0 }) { return try result.get() }
  }
}

private final class AsyncResult<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
}
