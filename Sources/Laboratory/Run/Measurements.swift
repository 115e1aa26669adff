/// The measurements of a run of one experiment.
public struct Measurements: Sendable {
  /// The experiment.
  public let experiment: Experiment
  /// The machine, with the cores that the runs were confined to.
  public let machine: Machine
  /// The seed of the run, for the order of the trials and for all random numbers of the trials.
  public let seed: UInt64
  /// The start of the run: ISO 8601, UTC.
  public let started: String
  /// The duration of the run, in seconds.
  public let seconds: Double
  /// The event that ended the run early; nil if the run completed. ``runs`` includes the trials that finished before
  /// the event.
  public let earlyEnd: EarlyEnd?
  /// The runs of every variant at every point, in the order of the experiment.
  public let runs: [VariantRun]
  /// The warnings about disturbances of the run, and the note on repeated trials.
  let disturbances: [RunNote]

  /// An event that ends a run early.
  public enum EarlyEnd: Sendable, Equatable {
    /// The task of the run was cancelled.
    case interrupted
    /// The lab could not continue. The exit status is 2.
    case failed(LabError)
  }
}
