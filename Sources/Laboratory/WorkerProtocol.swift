import Measurement

/// What the lab sends a worker: one line of JSON on standard input.
///
/// The lab keeps that pipe open as long as it lives; its end tells the worker that the lab is gone.
public struct TrialRequest: Sendable, Codable, Equatable {
  /// The pattern.
  public let pattern: String
  /// The variant.
  public let variant: String
  /// A value for every parameter.
  public let parameters: [String: ParameterValue]
  /// For anything random in the trial.
  public let seed: UInt64
  /// The speed of calibrated work.
  public let stepsPerMicrosecond: Double
  /// Cores the run may use.
  public let cores: Int

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
  /// More cores than any machine has, and faster than any of them works: beyond that a request is nonsense.
  private static let (mostCores, mostSteps) = (1 << 20, 1e6)

  /// What is asked for, checked: a trial has a value that is allowed for every parameter of its pattern.
  ///
  /// - Throws: ``InputError`` that says what is wrong, with the name of the field.
  public func trial(_ patterns: [any Pattern]) throws(InputError) -> (pattern: any Pattern, trial: Trial) {
    guard let pattern = patterns.first(where: { $0.name == self.pattern }) else {
      throw InputError("unknown pattern '\(self.pattern)'", at: "pattern", near: self.pattern, of: patterns.map(\.name))
    }
    guard pattern.variant(variant) != nil else {
      throw InputError(
        "unknown variant '\(variant)' of \(pattern.name)", at: "variant", near: variant,
        of: pattern.variants.map(\.name))
    }
    for parameter in pattern.parameters {
      guard let value = parameters[parameter.name] else {
        throw InputError("no value for '\(parameter.name)'", at: "parameters")
      }
      guard parameter.allows(value) else {
        throw InputError("a value that is not allowed (\(parameter.allowed))", at: "parameters.\(parameter.name)")
      }
    }
    guard (1...Self.mostCores).contains(cores) else { throw InputError("found \(cores)", at: "cores") }
    guard stepsPerMicrosecond > 0, stepsPerMicrosecond <= Self.mostSteps else {
      throw InputError("found \(stepsPerMicrosecond)", at: "stepsPerMicrosecond")
    }
    let trial = Trial(
      variant: variant, parameters: parameters, seed: seed,
      work: CalibratedWork(stepsPerMicrosecond: stepsPerMicrosecond), cores: cores)
    return (pattern, trial)
  }
}

/// What a worker answers: one line of JSON on standard output, its last act.
public struct TrialReport: Sendable, Codable, Equatable {
  /// What was measured; nil when the trial is unavailable.
  public var observation: Observation?
  /// Why the machine does not allow the trial.
  public var unavailable: String?

  /// A report of an observation, or of why there is none.
  public init(observation: Observation? = nil, unavailable: String? = nil) {
    self.observation = observation
    self.unavailable = unavailable
  }
}
