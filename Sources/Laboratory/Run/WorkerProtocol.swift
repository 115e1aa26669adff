import FoundationEssentials
import Measurement
import Platform

/// What the lab sends a worker: one line of JSON on standard input.
///
/// The lab keeps that pipe open as long as it lives; its end tells the worker that the lab is gone.
public struct TrialRequest: Sendable, Codable, Equatable {
  /// The pattern.
  public let pattern: String
  /// The variant.
  public let variant: String
  /// Values of settings; one that is not named has its default.
  public let parameters: [String: ParameterValue]
  /// For anything random in the trial.
  public let seed: UInt64
  /// The speed of calibrated work.
  public let stepsPerMicrosecond: Double
  /// Cores the run may use.
  public let cores: Int
  /// The numbers of the cores that the worker is confined to, before it reads this; nil where it is not.
  public var confinedTo: [Int]?
  /// How many blocks Dispatch may run at once, where it need not go by those cores (``Machine/poolWidth``).
  public var poolWidth: Int?
  /// The name of the directory that the trial may make for its files; nil for one that makes none.
  public var scratch: String?
  /// What trials before found the machine to lack (``Trial/isKnownToLack(_:)``).
  public var shortages: [String]?
  /// Where to record the trial (``Recorder/path``); nil for one that is measured.
  public var trace: String?

  /// A request.
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
  /// A request of a variant with the defaults of its settings, for a worker that plays another process in a trial.
  package init(pattern: String, variant: String) {
    self.init(pattern: pattern, variant: variant, parameters: [:], seed: 1, stepsPerMicrosecond: 1, cores: 1)
  }

  /// The request as a worker reads it.
  package var line: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) + "\n" }
  }

  /// More cores than any machine has, and faster than any of them works: beyond that a request is nonsense.
  private static let (mostCores, mostSteps) = (1 << 20, 1e6)

  /// What is asked for. The values of settings are checked when the trial reads them: what a pattern declares is known
  /// to the lab, and working it out here would cost every trial.
  ///
  /// - Throws: ``InputError`` that says what is wrong, with the name of the field.
  func trial(
    _ patterns: [any Pattern], announce: @escaping @Sendable () -> Void = {}
  ) throws(InputError) -> (variant: Variant, trial: Trial) {
    let names = patterns.map { type(of: $0).name }
    guard let index = names.firstIndex(of: pattern) else {
      throw InputError("unknown pattern '\(pattern)'", at: "pattern", near: pattern, of: names)
    }
    let variants = patterns[index].variants
    guard let variant = variants.first(where: { $0.name == variant }) else {
      throw InputError(
        "unknown variant '\(variant)' of \(pattern)", at: "variant", near: variant, of: variants.map(\.name))
    }
    guard (1...Self.mostCores).contains(cores) else { throw InputError("found \(cores)", at: "cores") }
    if let poolWidth, !(1...Self.mostCores).contains(poolWidth) {
      throw InputError("found \(poolWidth)", at: "poolWidth")
    }
    guard stepsPerMicrosecond > 0, stepsPerMicrosecond <= Self.mostSteps else {
      throw InputError("found \(stepsPerMicrosecond)", at: "stepsPerMicrosecond")
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

/// What a worker says when a body that is meant to trap or hang comes to its hazard: one line of JSON on standard
/// output.
struct TrialStart: Sendable, Codable, Equatable {
  /// When that was, in monotonic nanoseconds, which all processes share.
  let started: UInt64
}

/// What a worker answers: one line of JSON on standard output, its last act.
public struct TrialReport: Sendable, Codable, Equatable {
  /// What was measured; nil when the trial did not come to its end.
  public var observation: Observation?
  /// The settings that the body read.
  public var reads: [String]?
  /// Why the machine does not allow the trial.
  public var unavailable: String?
  /// The error that the body threw.
  public var broken: String?
  /// What the trial found the machine to lack (``Trial/lacks(_:)``); nil for nothing.
  public var shortages: [String]?

  /// A report of an observation, or of why there is none.
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
  /// Runs the body of `variant` to its end, whatever that is.
  package init(of variant: Variant, _ trial: Trial) {
    do {
      try variant.body(trial)
      trial.endCosts()
      self.init(observation: trial.observation, reads: trial.reads.sorted())
      shortages = trial.found.isEmpty ? nil : trial.found.sorted()
    } catch let error as Unavailable {
      self.init(unavailable: error.description)
    } catch let error as SystemError where error.isOfTheMachine {
      self.init(unavailable: error.description)
    } catch { self.init(broken: "\(error)") }
  }

  /// What keeps a trial of `variant` that completed from counting: it did not record what it promised, or used what it
  /// says it does without. Nil when nothing does.
  func breach(by variant: Variant) -> String? {
    guard let observation else { return nil }
    let missing = variant.promises.filter { $0.unless == nil && observation.samples($0.name) == nil }.map(\.name)
    if !missing.isEmpty { return "it completed, but did not record \(missing.joined(separator: ", "))" }
    let undue = Set(observation.metrics.keys).subtracting((variant.promises + Metric.costs).map(\.name)).sorted()
    if !undue.isEmpty { return "it recorded \(undue.joined(separator: ", ")), which it says it does without" }
    let read = variant.ignores.intersection(reads ?? []).sorted()
    if !read.isEmpty { return "it read \(read.joined(separator: ", ")), which it says it does without" }
    return nil
  }
}

extension TrialRecord {
  /// What a report makes of a trial of `variant`.
  package init(of variant: Variant, round: Int, _ report: TrialReport) {
    let reason: Outcome? =
      report.unavailable.map { .unavailable(reason: $0) }
      ?? (report.broken ?? report.breach(by: variant)).map { .broken(reason: $0) }
    // What a broken trial measured counts for nothing.
    self.init(
      round: round, outcome: reason ?? .completed,
      observation: reason == nil ? report.observation ?? Observation() : Observation(), reads: Set(report.reads ?? []),
      shortages: Set(report.shortages ?? []))
  }
}
