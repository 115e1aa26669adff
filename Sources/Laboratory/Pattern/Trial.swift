import Dispatch
import Measurement
import Platform
import Synchronization

/// What a variant's body is given to run once: its settings, and where to record what it measured.
///
/// Reading a setting and recording take a lock: do both outside what is timed.
public final class Trial: Sendable {
  /// The variant that runs.
  public let variant: String
  /// For anything random in the trial.
  public let seed: UInt64
  /// Spinning of a known length, the same speed for all workers of a run.
  public let work: CalibratedWork
  /// How many cores the process may use.
  public let cores: Int
  /// How many blocks Dispatch runs at once at most: as many as there are cores, those included that this process may
  /// not use.
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
    /// What takes the readings of its costs; nil where nobody asks for them.
    var costs: CostMeter?
  }

  /// A trial of `variant`; a setting that `parameters` does not name has its default.
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

  /// The value of a setting in this trial.
  ///
  /// The lab has checked it before it started the worker; a request that says something else is not the lab's, and ends
  /// the process.
  public subscript<Value>(setting: Setting<Value>) -> Value {
    state.withLock { _ = $0.reads.insert(setting.name) }
    do { return try setting.value(parameters[setting.name]) } catch { Worker.refuse(error.description) }
  }

  /// The value of a duration by its description.
  func duration(_ parameter: Parameter) -> Duration {
    if case .integer(let nanoseconds) = parameters[parameter.name] ?? parameter.standard {
      .nanoseconds(nanoseconds)
    } else {
      .zero
    }
  }

  /// The steps of calibrated work that take as long as a setting says.
  public func steps(_ setting: Setting<Duration>) -> Int { work.steps(nanoseconds: Int(self[setting].nanoseconds)) }

  /// Marks the point at which the body is meant to trap or to hang. The time to the end is counted from here.
  public func hazard() {
    let isFirst = state.withLock { state in
      defer { state.isAtHazard = true }
      return !state.isAtHazard
    }
    if isFirst { announce() }
  }

  /// The trial waited for something that the machine did not have to give just then, such as a core that nobody else
  /// uses. When several trials of a run have said so, those behind are told (``isKnownToLack(_:)``), and the run warns
  /// of it.
  ///
  /// - Parameter thing: what it was, as a sentence's subject: `a second core`.
  public func lacks(_ thing: String) { state.withLock { _ = $0.found.insert(thing) } }

  /// Whether trials before found the machine to lack it, so that waiting for it again would be in vain.
  public func isKnownToLack(_ thing: String) -> Bool { shortages.contains(thing) }

  // MARK: Recording

  /// Records a duration in nanoseconds; `over` that many operations that were timed together, it is the time of one,
  /// and the noise floor is shared by them.
  public func record(_ measure: Measure<Duration>, _ nanoseconds: UInt64, over operations: Int = 1) {
    let operations = max(1, operations)
    note { $0.record(measure.name, Double(nanoseconds) / Double(operations), batch: operations) }
  }

  /// Records a duration, of which one below 0 is 0; `over` that many operations that were timed together, it is the
  /// time of one.
  public func record(_ measure: Measure<Duration>, _ duration: Duration, over operations: Int = 1) {
    record(measure, duration.nanoseconds, over: operations)
  }

  /// Records all durations of a histogram, in nanoseconds. Of an empty one nothing is recorded.
  public func record(_ measure: Measure<Duration>, _ histogram: LatencyHistogram) {
    note { $0.record(measure.name, histogram) }
  }

  /// Records what the very loop that timed `measure` takes around an operation that does nothing: the noise floor of
  /// its figures in the reports, where the lab's own stands otherwise. It is subtracted from none of them.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long the loop took, each time it was run; their median counts, and none when there are none.
  ///   - operations: how many operations it was each time.
  public func recordFloor(_ measure: Measure<Duration>, _ nanoseconds: [UInt64], over operations: Int) {
    guard let median = Summary(nanoseconds.map { Double($0) })?.p50 else { return }
    note { $0.recordFloor(measure.name, median / Double(max(1, operations))) }
  }

  /// Records a count, beside those recorded before.
  public func record(_ measure: Measure<Int>, _ count: Int) { note { $0.record(measure.name, count) } }

  /// Records all counts of a histogram.
  public func record(_ measure: Measure<Int>, _ histogram: LatencyHistogram) {
    note { $0.record(measure.name, histogram) }
  }

  /// Records a rate, a share or a ratio in the measure's unit. One that is not finite is none, and not recorded.
  public func record(_ measure: Measure<Double>, _ value: Double) { note { $0.record(measure.name, value) } }

  private func note(_ record: (inout Observation) -> Void) {
    state.withLock { record(&$0.observation) }
  }

  // MARK: Costs

  /// What `body` costs the machine is what the trial costs: processor time and context switches of all threads. Several
  /// such spans add up. A trial that names none has them of its whole body.
  ///
  /// Two readings of a microsecond each stand outside of what `body` times. Spans must not overlap.
  public func measuring<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let start = ProcessCosts.soFar()
    defer {
      let end = ProcessCosts.soFar()
      state.withLock { $0.costs?.add(from: start, to: end) }
    }
    return try body()
  }

  /// Its process runs nothing else: what that costs is to be recorded.
  func beginCosts() { state.withLock { $0.costs = CostMeter() } }

  /// Its body has ended.
  func endCosts() {
    state.withLock { state in
      state.costs?.end(in: &state.observation)
      state.costs = nil
    }
  }

  /// What was recorded so far.
  package var observation: Observation { state.withLock { $0.observation } }
  /// What the machine was found to lack so far.
  var found: Set<String> { state.withLock { $0.found } }
  /// The settings that were read so far.
  package var reads: Set<String> { state.withLock { $0.reads } }
}

/// The machine does not allow a trial; the variant is unavailable, with this reason, and neither kept nor broke a
/// promise.
public struct Unavailable: Error, Sendable, CustomStringConvertible {
  /// Who could run and had less than this share of a core was starved: what it did not do in its time says nothing.
  public static let starvedShare = 0.05

  /// What was needed and what there is.
  public let description: String

  /// A reason that says what was needed and what there is.
  public init(_ description: String) { self.description = description }
}

/// Runs async work from a thread outside every pool, which may therefore block, and waits for its end.
///
/// - Throws: what `body` throws.
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
