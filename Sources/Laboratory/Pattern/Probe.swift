import Platform

/// The code that measures variants whose bodies have one type. A probe declares the settings that a trial reads, the
/// metrics that the trial records, the longest time of the trial, and the number of threads that the trial needs.
///
/// ```swift
/// /// Sends requests through an adapter, waits for the group, and counts the handlers that ran before.
/// var sendAll: Probe<@Sendable (Request, DispatchGroup) -> Void> {
///   Probe(reads: [requests], records: [sent, unfinished]) { trial, send in
///     …
///     trial.record(unfinished, count)
///   }
/// }
/// ```
///
/// A variant names the probe before its body: `Variant("balanced", .documented, "…", sendAll) { request, group in … }`.
public struct Probe<Body: Sendable>: Sendable {
  let declarations: ProbeDeclarations
  private let run: @Sendable (Trial, Body) throws -> Void

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - reads: the settings that a trial may read. A sweep over other settings runs a variant only once.
  ///   - records: the metrics that each completed trial records. A variant that is expected to trap or to hang records
  ///     no metrics.
  ///   - longest: a closure that returns the longest time of a trial on an idle machine; nil for the pattern's longest
  ///     time (``Pattern/longest(_:)``).
  ///   - threads: a closure that returns the number of threads that a trial must be able to start; nil if no check is
  ///     necessary. If the system does not allow that many threads, the variant is unavailable.
  ///   - run: a closure that executes a body once and records the measurements.
  public init(
    reads: [any Declaration] = [], records: [any Declaration] = [], longest: (@Sendable (Trial) -> Duration)? = nil,
    threads: (@Sendable (Trial) -> Int)? = nil, _ run: @escaping @Sendable (Trial, Body) throws -> Void
  ) {
    declarations = ProbeDeclarations(reads: reads, records: records, longest: longest)
    self.run =
      if let threads {
        { trial, body in
          try SystemThread.requireCapacity(for: threads(trial))
          try run(trial, body)
        }
      } else {
        run
      }
  }

  /// Executes a body once in a trial.
  ///
  /// - Throws: the error that the body throws; ``Unavailable`` or a `SystemError` if the machine does not meet a
  ///   requirement.
  public func callAsFunction(_ trial: Trial, _ body: Body) throws { try run(trial, body) }
}

/// A probe for bodies that contain their measuring code.
public typealias TrialProbe = Probe<@Sendable (Trial) throws -> Void>
/// A probe for asynchronous bodies that contain their measuring code. The trial's thread waits for the end of the task.
public typealias TaskProbe = Probe<@Sendable (Trial) async throws -> Void>

extension TrialProbe {
  /// Creates a probe for bodies that contain their measuring code.
  public init(
    reads: [any Declaration] = [], records: [any Declaration] = [], longest: (@Sendable (Trial) -> Duration)? = nil
  ) {
    self.init(reads: reads, records: records, longest: longest) { trial, body in try body(trial) }
  }
}

extension TaskProbe {
  /// Creates a probe for asynchronous bodies that contain their measuring code.
  public init(
    reads: [any Declaration] = [], records: [any Declaration] = [], longest: (@Sendable (Trial) -> Duration)? = nil
  ) {
    self.init(reads: reads, records: records, longest: longest) { trial, body in
      try waitFor { try await body(trial) }
    }
  }
}

/// The declarations that the trials of a variant use, and the longest time of these trials.
struct ProbeDeclarations: Sendable {
  var reads: [any Declaration] = []
  var records: [any Declaration] = []
  var longest: (@Sendable (Trial) -> Duration)?
}
