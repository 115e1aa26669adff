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
