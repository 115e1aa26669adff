import Measurement
import Platform

/// The extent of a run: the number of rounds, and the limits of the time.
public struct Budget: Sendable, Equatable {
  /// The number of rounds. If ``precision`` is not nil, this is the smallest number of rounds.
  public var rounds: Int
  /// The precision that the ratios must reach, as a share; nil for a fixed number of rounds. Rounds are added until the
  /// interval of every ratio that is not certainly above ``Comparison/outOfReach`` extends at most this share of the
  /// ratio to each side.
  public var precision: Double?
  /// The shortest time after which a run ends because it has reached ``precision`` or ``rounds``. The rounds of a
  /// shorter run may all lie within one disturbance of the machine. The precision of these rounds would describe only
  /// the disturbance.
  public var shortestTime = Duration.zero
  /// The time limit for all rounds; nil for no limit. A round does not start if the earlier rounds suggest that the
  /// round would exceed the limit.
  public var time: Duration?
  /// The smallest number of rounds; nil to run as many rounds as fit into ``time``. If fewer rounds fit into ``time``,
  /// the time is extended. If they do not fit into ``longestTime`` either, the run is refused as soon as this is clear.
  /// A run without ``longestTime`` is refused only if a single round does not fit into ``time``.
  public var fewestRounds: Int?
  /// The longest time to which ``time`` is extended for ``fewestRounds``; nil if it is not extended.
  public var longestTime: Duration?
  /// The time limit of a trial; nil for no limit. A trial that exceeds the limit is `stopped`, or `hung` if all its
  /// threads sleep long after the trial should have ended. After a stopped trial, its run is not tried again; after a
  /// hung trial, its variant is not tried again.
  public var trialTime: Duration?
  /// Whether runs with a stopped trial are tried once more, with a longer ``trialTime``, if time remains when the other
  /// runs are done.
  public var retriesStopped = false
  /// The remaining time, at the start of the run, for this run and the later runs; nil if the time is not limited.
  public var timeLeft: Duration?
  /// The share of the remaining time that one trial may take, from 0 to 1.
  public var trialShare: Double
  /// The fixed part of the time limit of a trial. The lab ends a trial as hung after this time plus ten times the
  /// longest time that the trial takes on an idle machine (``Pattern/longest(_:)``).
  public var watchdog: Duration

  /// Creates a budget.
  public init(
    rounds: Int, precision: Double? = nil, time: Duration? = nil, fewestRounds: Int? = nil,
    trialTime: Duration? = nil, timeLeft: Duration? = nil, trialShare: Double = 1, watchdog: Duration = .seconds(30)
  ) {
    self.rounds = rounds
    self.precision = precision
    self.time = time
    self.fewestRounds = fewestRounds
    self.trialTime = trialTime
    self.timeLeft = timeLeft
    self.trialShare = trialShare
    self.watchdog = watchdog
  }

  /// A budget of 10 rounds.
  public static let standard = Budget(rounds: 10)
  /// A budget of 6 rounds for a first look: the smallest number by which performance can be judged.
  public static let quick = Budget(rounds: ConfidenceInterval.fewest)
  /// A budget of 3 rounds for smoke runs: enough to check guarantees and anomalies, and too few to judge performance.
  public static let smoke = Budget(rounds: 3)
  /// A budget of 30 rounds for narrow intervals.
  public static let thorough = Budget(rounds: 30)
  /// The time limit of a comparison for which the user gives none.
  public static let comparisonTime = Duration.seconds(30)
  /// The time limit of a quick comparison for which the user gives none.
  public static let quickComparisonTime = Duration.seconds(20)
  /// The precision that the ratios of a comparison must reach, as a share.
  public static let comparisonPrecision = 0.02
  /// The precision that the ratios of a quick comparison must reach, as a share. An interval of this width
  /// nearly always ranks the two sides, or shows that they are alike. If it does not, rounds are added as long as there
  /// is time.
  public static let quickComparisonPrecision = ConfidenceInterval.alikeDifference
  /// The factor by which the time limit of a comparison is extended at most if the smallest number of rounds does not
  /// fit into it.
  public static let mostExtension = 4
  /// The largest number of rounds of a run, regardless of the width of the intervals.
  public static let mostRounds = 10_000

  /// Returns the number of seconds that a message suggests for a run that probably takes `seconds`. The number is a
  /// quarter more than `seconds`, since the next trials may be slower, and is rounded up to a multiple of 1, 5 or 10.
  /// It is at most about 32 years, since a result document may contain any time.
  public static func enough(for seconds: Double) -> Int {
    let enough = min(1.25 * seconds, 1e9)
    let step = enough <= 5 ? 1.0 : enough <= 60 ? 5 : 10
    return Int((enough / step).rounded(.up) * step)
  }
}
