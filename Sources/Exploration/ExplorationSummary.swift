/// A summary of an exploration: the numbers of schedules, their outcomes, and the shortest failing schedule.
public struct ExplorationSummary: Sendable {
  /// The strategy of the exploration.
  public let strategy: Explorer.Strategy
  /// The number of schedules that were executed and not abandoned.
  public internal(set) var schedules = 0
  /// The number of executed schedules with a defect: a broken promise, a trap or a deadlock.
  public internal(set) var broken = 0
  /// The number of executions that were abandoned, because other schedules represent them.
  public internal(set) var abandoned = 0
  /// Whether every schedule of the strategy was executed.
  public internal(set) var isComplete = false
  /// The number of executions that explore or verify a schedule, including abandoned executions. Executions that search
  /// for a shorter failing schedule are not included.
  public internal(set) var executions = 0
  /// The names of the threads, blocks and tasks that make steps in the first schedule or in the shortest failing
  /// schedule.
  public internal(set) var participants: [String] = []
  /// The outcomes of the executed schedules.
  public internal(set) var outcomes: Set<ExecutionOutcome> = []
  /// The record of the failing schedule with the fewest steps up to the defect. Among schedules of equal length, this
  /// schedule has the fewest switches. The value is nil if no schedule failed.
  public internal(set) var shortest: ScheduleRecord?
  /// The reason why the program cannot be explored; nil if the program can be explored.
  public internal(set) var unable: String?

  init(_ strategy: Explorer.Strategy) { self.strategy = strategy }
}
