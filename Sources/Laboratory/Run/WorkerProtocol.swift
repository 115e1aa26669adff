import FoundationEssentials
import Measurement
import Platform

/// The request that the lab sends to a worker: one line of JSON on standard input.
///
/// The lab keeps the pipe open during the trial. A worker that reads the end of the pipe exits, since the lab has
/// ended.
public struct TrialRequest: Sendable, Codable, Equatable {
  /// The name of the pattern.
  public let pattern: String
  /// The name of the variant.
  public let variant: String
  /// The values of settings. A missing setting has its default value.
  public let parameters: [String: ParameterValue]
  /// The seed for all random numbers of the trial.
  public let seed: UInt64
  /// The speed of calibrated work.
  public let stepsPerMicrosecond: Double
  /// The number of cores that the run may use.
  public let cores: Int
  /// The system's numbers of the cores that the worker was confined to at its start; nil if the worker is not confined.
  public var confinedTo: [Int]?
  /// The number of online cores (``Machine/poolWidth``); nil if the number is equal to ``cores``.
  public var poolWidth: Int?
  /// The name of the directory that the trial may create for its files; nil for a trial without files.
  public var scratch: String?
  /// The features that enough earlier trials reported as missing (``Trial/isKnownShortage(_:)``); nil if there are no
  /// such features.
  public var shortages: [String]?
  /// The path of the trial's recording (``Recorder/path``); nil for a trial that is measured.
  public var trace: String?

  /// Creates a request.
  public init(
    pattern: String, variant: String, parameters: [String: ParameterValue], seed: UInt64, stepsPerMicrosecond: Double,
    cores: Int
  ) {
    self.pattern = pattern
    self.variant = variant
    self.parameters = parameters
    self.seed = seed
    self.stepsPerMicrosecond = stepsPerMicrosecond
    self.cores = cores
  }
}

extension TrialRequest {
  /// Creates a request for a variant with the defaults of its settings. A trial uses a worker with this request as a
  /// second process.
  package init(pattern: String, variant: String) {
    self.init(pattern: pattern, variant: variant, parameters: [:], seed: 1, stepsPerMicrosecond: 1, cores: 1)
  }

  /// The request in the form that a worker reads: one line of JSON.
  package var line: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) + "\n" }
  }

  /// The largest valid values of a request. No machine has so many cores, or runs so many steps per microsecond.
  private static let (mostCores, mostSteps) = (1 << 20, 1e6)

  /// Returns the variant and the trial of the request. The values of settings are checked when the trial reads them. A
  /// check in this method would require the pattern's declarations, whose collection would take time in every trial.
  ///
  /// - Throws: ``InputError`` if a field is invalid; the error names the field.
  func trial(
    _ patterns: [any Pattern], announce: @escaping @Sendable () -> Void = {}
  ) throws(InputError) -> (variant: Variant, trial: Trial) {
    let names = patterns.map { type(of: $0).name }
    guard let index = names.firstIndex(of: pattern) else {
      throw .unknown("pattern", pattern, at: "pattern", known: names, listing: .nothing)
    }
    let variants = patterns[index].variants
    guard let variant = variants.first(where: { $0.name == variant }) else {
      throw .unknown(
        "variant", variant, of: pattern, at: "variant", known: variants.map(\.name), listing: .nothing)
    }
    guard (1...Self.mostCores).contains(cores) else {
      throw InputError("found \(cores), expected 1 to \(Self.mostCores)", at: "cores")
    }
    if let poolWidth, !(1...Self.mostCores).contains(poolWidth) {
      throw InputError("found \(poolWidth), expected 1 to \(Self.mostCores)", at: "poolWidth")
    }
    guard stepsPerMicrosecond > 0, stepsPerMicrosecond <= Self.mostSteps else {
      throw InputError(
        "found \(stepsPerMicrosecond), expected more than 0, and at most \(Self.mostSteps)", at: "stepsPerMicrosecond")
    }
    if let scratch, scratch.isEmpty || scratch.hasPrefix(".") || scratch.contains("/") {
      throw InputError("found '\(scratch)', expected a name", at: "scratch")
    }
    let isHazard = variant.ending != .completes
    let trial = Trial(
      variant: variant.name, parameters: parameters, seed: seed,
      work: CalibratedWork(stepsPerMicrosecond: stepsPerMicrosecond), cores: cores, poolWidth: poolWidth,
      shortages: Set(shortages ?? []),
      announce: { if isHazard { announce() } })
    return (variant, trial)
  }
}

/// The message that a worker sends at its hazard if its variant is expected to trap or hang: one line of JSON on
/// standard output.
struct HazardReport: Sendable, Codable, Equatable {
  /// The time of the hazard, in nanoseconds of the monotonic clock that all processes share.
  let time: UInt64
}

/// The report of a worker: the last line of its standard output, as JSON.
public struct TrialReport: Sendable, Codable, Equatable {
  /// The measurements; nil if the trial did not complete.
  public var observation: Observation?
  /// The names of the settings that the body read; nil if the trial did not complete.
  public var reads: [String]?
  /// The reason why the machine does not allow the trial; nil if the machine allows the trial.
  public var unavailable: String?
  /// A description of the error that the body threw; nil if the body did not throw an error.
  public var broken: String?
  /// The features that the trial reported as missing (``Trial/recordShortage(of:)``); nil if the trial reported none.
  public var shortages: [String]?

  /// Creates a report of an observation, or of the reason why there is no observation.
  public init(
    observation: Observation? = nil, reads: [String]? = nil, unavailable: String? = nil, broken: String? = nil
  ) {
    self.observation = observation
    self.reads = reads
    self.unavailable = unavailable
    self.broken = broken
  }
}

extension TrialReport {
  /// Returns the reason why a completed trial of `variant` does not count: the trial lacks a promised metric, recorded
  /// a metric that is neither a cost nor promised by the variant, or read a setting that the variant's probe does not
  /// list. Returns nil if the trial counts.
  func violation(by variant: Variant) -> String? {
    guard let observation else { return nil }
    let missing = variant.records.filter { $0.missingIf == nil && observation.samples($0.name) == nil }.map(\.name)
    if !missing.isEmpty { return "the trial completed, but did not record \(missing.joined(separator: ", "))" }
    let unexpected = Set(observation.metrics.keys).subtracting((variant.records + Metric.costs).map(\.name)).sorted()
    if !unexpected.isEmpty {
      return "the trial recorded \(unexpected.joined(separator: ", ")), which its probe does not list"
    }
    let read = variant.ignores.intersection(reads ?? []).sorted()
    if !read.isEmpty { return "the trial read \(read.joined(separator: ", ")), which its probe does not list" }
    return nil
  }
}

extension TrialRecord {
  /// Creates the record of a trial of `variant` from the trial's report.
  package init(of variant: Variant, round: Int, _ report: TrialReport) {
    let reason: Outcome? =
      report.unavailable.map { .unavailable(reason: $0) }
      ?? (report.broken ?? report.violation(by: variant)).map { .broken(reason: $0) }
    // The measurements of an unavailable or broken trial do not count.
    self.init(
      round: round, outcome: reason ?? .completed,
      observation: reason == nil ? report.observation ?? Observation() : Observation(), reads: Set(report.reads ?? []),
      shortages: Set(report.shortages ?? []))
  }
}
