import Dispatch
import Measurement
import Platform
import Synchronization

/// The context of one trial. The body of a variant uses the context to read settings and to record measurements.
///
/// Each read of a setting and each record of a measurement acquires a lock. Read settings and record measurements
/// outside the code that is timed.
public final class Trial: Sendable {
  /// The name of the variant.
  public let variant: String
  /// The seed for all random numbers of the trial.
  public let seed: UInt64
  /// The calibrated work, which has one speed for all workers of a run.
  public let work: CalibratedWork
  /// The number of cores that the process may use.
  public let cores: Int
  /// The number of online cores, including cores that this process may not use. Depending on the version of Dispatch,
  /// up to this number of blocks run at once.
  public let poolWidth: Int
  private let parameters: [String: ParameterValue]
  private let knownShortages: Set<String>
  private let announce: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    var observation = Observation()
    var reads: Set<String> = []
    var isAtHazard = false
    var recordedShortages: Set<String> = []
    /// The meter of the trial's costs; nil if the costs are not being measured.
    var costs: CostMeter?
  }

  /// Creates a trial of `variant`. A setting that is missing in `parameters` has its default value.
  package init(
    variant: String, parameters: [String: ParameterValue] = [:], seed: UInt64 = 1, work: CalibratedWork, cores: Int,
    poolWidth: Int? = nil, shortages: Set<String> = [], announce: @escaping @Sendable () -> Void = {}
  ) {
    self.variant = variant
    self.parameters = parameters
    self.seed = seed
    self.work = work
    self.cores = cores
    knownShortages = shortages
    self.poolWidth = poolWidth ?? cores
    self.announce = announce
  }

  /// The value of a parameter in this trial.
  ///
  /// The lab has checked the value before it started the worker. The process exits if a request contains an invalid
  /// value, since such a request is not from the lab.
  public subscript<Value>(parameter: ParameterKey<Value>) -> Value {
    state.withLock { _ = $0.reads.insert(parameter.name) }
    do { return try parameter.value(parameters[parameter.name]) } catch { Self.refuse(error.description) }
  }

  /// Returns the value of a parameter of type duration; zero if the value is not a number.
  func duration(_ parameter: Parameter) -> Duration {
    .nanoseconds((parameters[parameter.name] ?? parameter.standard).integer ?? 0)
  }

  /// Returns the number of steps of calibrated work that take the duration of a parameter.
  public func steps(_ parameter: ParameterKey<Duration>) -> Int {
    work.steps(nanoseconds: Int(self[parameter].nanoseconds))
  }

  /// Marks the point from which the body is expected to trap or to hang. Only the first call has an effect. The metric
  /// ``Metric/timeToEnd`` is measured from this point.
  public func hazard() {
    let isFirst = state.withLock { state in
      defer { state.isAtHazard = true }
      return !state.isAtHazard
    }
    if isFirst { announce() }
  }

  /// Records that the trial waited in vain for a feature of the machine, such as a core that no other program uses. The
  /// results then contain a warning. Once three trials with the same number of cores have recorded a feature, the lab
  /// passes the feature to later trials (``isKnownShortage(_:)``).
  ///
  /// - Parameter feature: the missing feature as a noun phrase, for example `a second core`.
  public func recordShortage(of feature: String) { state.withLock { _ = $0.recordedShortages.insert(feature) } }

  /// Returns whether enough earlier trials recorded that the machine lacks `feature`. If the result is true, the trial
  /// need not wait for `feature`.
  public func isKnownShortage(_ feature: String) -> Bool { knownShortages.contains(feature) }

  // MARK: Recording

  /// Records a duration. If `operations` operations were timed together, pass their total time in nanoseconds. The
  /// trial records the average time of one operation, and divides the noise floor by `operations`.
  public func record(_ metric: MetricKey<Duration>, _ nanoseconds: UInt64, over operations: Int = 1) {
    let operations = max(1, operations)
    note { $0.record(metric.name, Double(nanoseconds) / Double(operations), batch: operations) }
  }

  /// Records a duration. A negative duration counts as 0. If several operations were timed together, records the time
  /// of one operation.
  public func record(_ metric: MetricKey<Duration>, _ duration: Duration, over operations: Int = 1) {
    record(metric, duration.nanoseconds, over: operations)
  }

  /// Records all durations of a histogram, in nanoseconds. If the histogram is empty, nothing is recorded.
  public func record(_ metric: MetricKey<Duration>, _ histogram: LatencyHistogram) {
    note { $0.record(metric.name, histogram) }
  }

  /// Records the time of the loop that timed `metric` around an empty operation. Reports show this time as the noise
  /// floor of the metric, in place of the lab's noise floor. The time is not subtracted from any figure.
  ///
  /// - Parameters:
  ///   - nanoseconds: the times of the loop. The median is recorded. If the array is empty, nothing is recorded.
  ///   - operations: the number of operations in the loop.
  public func recordFloor(_ metric: MetricKey<Duration>, _ nanoseconds: [UInt64], over operations: Int) {
    guard let median = Summary(nanoseconds.map { Double($0) })?.p50 else { return }
    note { $0.recordFloor(metric.name, median / Double(max(1, operations))) }
  }

  /// Records one count.
  public func record(_ metric: MetricKey<Int>, _ count: Int) { note { $0.record(metric.name, count) } }

  /// Records all counts of a histogram.
  public func record(_ metric: MetricKey<Int>, _ histogram: LatencyHistogram) {
    note { $0.record(metric.name, histogram) }
  }

  /// Records a rate, a share or a ratio in the unit of the metric. A value that is not finite is not recorded.
  public func record(_ metric: MetricKey<Double>, _ value: Double) { note { $0.record(metric.name, value) } }

  private func note(_ record: (inout Observation) -> Void) {
    state.withLock { record(&$0.observation) }
  }

  // MARK: Costs

  /// Starts to measure the costs of the process.
  func beginCosts() { state.withLock { $0.costs = CostMeter() } }

  /// Ends the measurement of the costs, if it was started.
  func endCosts() {
    state.withLock { state in
      state.costs?.end(in: &state.observation)
      state.costs = nil
    }
  }

  /// The measurements that were recorded so far.
  package var observation: Observation { state.withLock { $0.observation } }
  /// The features that the trial has reported as missing so far.
  var recordedShortages: Set<String> { state.withLock { $0.recordedShortages } }
  /// The names of the settings that were read so far.
  package var reads: Set<String> { state.withLock { $0.reads } }
}

/// An error that a body throws if the machine does not allow the trial. The variant is then unavailable for this
/// reason, and neither keeps nor breaks a promise.
public struct Unavailable: Error, Sendable, CustomStringConvertible {
  /// The share of a core below which a runnable thread was starved. The measurements of a starved thread are not
  /// meaningful.
  public static let starvedShare = 0.05

  /// A description of the requirement and of the machine.
  public let description: String

  /// Creates an error from a description of the requirement and of the machine.
  public init(_ description: String) { self.description = description }
}

/// Runs an asynchronous function and waits until it returns. Call this function on a thread outside all pools, since
/// the function blocks the thread.
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
