/// The steps and the outcome of one execution.
public struct ScheduleRecord: Sendable, Equatable {
  /// A step of an execution.
  public struct Step: Sendable, Equatable {
    /// The number of the thread, block or task that made the step.
    public let strand: Int
    /// The descriptions of the step's effects.
    public internal(set) var words: [String] = []
    /// A description of the outcome that the step decided: a defect, or the reason why the program cannot be explored.
    /// The value is nil for all other steps.
    public internal(set) var breaks: String?
    /// Whether the step is omitted from reports.
    public internal(set) var isSilent = false

    init(strand: Int) { self.strand = strand }
  }

  /// The outcome of the execution.
  public let outcome: ExecutionOutcome
  /// The numbers of the threads that made the steps, in order.
  public let schedule: [Int]
  /// The number of steps up to the first defect; the number of all steps if there is no defect.
  let decided: Int
  /// The steps; empty if steps were not recorded.
  public let steps: [Step]
  /// The names of the threads, blocks and tasks, by number.
  public let strands: [String]

  /// The schedule up to the step that decides the outcome.
  public var decisive: ArraySlice<Int> { schedule.prefix(decided) }

  /// The number of decisive steps whose thread differs from the thread of the previous step.
  var switches: Int { zip(decisive, decisive.dropFirst()).count { $0 != $1 } }

  /// The decisive schedule in the format of the command line, such as `1.2.2.1`.
  public var scheduleText: String { decisive.map(String.init).joined(separator: ".") }

  /// The steps with a description, up to the first defect. Silent steps are omitted.
  public var shown: [Step] { steps.prefix(decided).filter { !$0.isSilent && !$0.words.isEmpty } }

  /// The names of the threads, blocks and tasks that make steps with a description, in the order of their numbers.
  /// Silent steps do not count. Steps after the first defect count, since the number of schedules counts the orders of
  /// these steps as well.
  var participants: [String] {
    Set(steps.filter { !$0.isSilent && !$0.words.isEmpty }.map(\.strand)).sorted().map { strands[$0] }
  }
}
