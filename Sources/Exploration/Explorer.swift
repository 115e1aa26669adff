import Measurement

/// A type that executes a program under many schedules, and finds the schedules that break a promise.
public struct Explorer: Sendable {
  /// The set of schedules to execute.
  public enum Strategy: Sendable, Equatable {
    /// All schedules, up to a limit of 2000. After 2000 schedules, the exploration begins again with ``reduced``.
    case all
    /// All schedules, including those that differ only in the order of commuting steps.
    case everyOrder
    /// One schedule of each set of schedules that differ only in the order of commuting steps.
    case reduced
    /// All schedules with at most the given number of preemptions.
    case preemptions(Int)
    /// The given number of schedules with random choices.
    case random(Int, seed: UInt64)
    /// The given number of schedules with random priorities. Each schedule has at most `changes` changes of priority.
    case priorities(Int, changes: Int, seed: UInt64)
  }

  /// The error of a program that behaved differently when a schedule was repeated.
  public struct Nondeterminism: Error, CustomStringConvertible {
    let schedule: String
    let step: Int
    /// A description with the schedule, and the step from which the repetition differed.
    public var description: String {
      "schedule \(schedule) behaved differently when it was repeated, from step \(step) on: something outside the exploration affects the program"
    }
  }

  /// The maximum number of schedules that ``Strategy/all`` executes without reduction.
  static let fewOrders = 2_000

  private let program: @Sendable () -> Void
  /// A closure that creates the fiber pool of an exploration. A test replaces this closure.
  var fibers: @Sendable () -> FiberPool = { FiberPool() }

  /// Creates an explorer of a program. Each execution calls `program` once. The program must create all objects that
  /// its threads share.
  public init(_ program: @escaping @Sendable () -> Void) { self.program = program }

  /// Executes the schedules of a strategy. Ends early if `isOver` returns true, or if the program cannot be explored.
  ///
  /// - Throws: ``Nondeterminism`` if an execution differs when its schedule is repeated.
  public func explore(_ strategy: Strategy, isOver: () -> Bool = { false }) throws(Nondeterminism) -> ExplorationSummary
  {
    var session = Session(program: program, fibers: fibers())
    switch strategy {
    case .all:
      var few = try session.depthFirst(.everyOrder, atMost: Self.fewOrders, isOver: isOver)
      if few.isComplete || isOver() { return try session.withShortest(&few, isOver: isOver) }
      session = Session(program: program, fibers: fibers())
      var summary = try session.depthFirst(.reduced, isOver: isOver)
      return try session.withShortest(&summary, isOver: isOver)
    case .everyOrder, .reduced, .preemptions:
      return try session.depthFirst(strategy, isOver: isOver)
    case .random(let count, let seed):
      return try session.random(strategy, count, isOver: isOver) { RandomWalk(seed: seed &+ UInt64($0)) }
    case .priorities(let count, let changes, let seed):
      let length = session.run(Replay([])).schedule.count
      return try session.random(strategy, count, isOver: isOver) {
        RandomPriorities(seed: seed &+ UInt64($0), changes: changes, steps: length)
      }
    }
  }

  /// Executes one schedule, and records its steps. After the last step of the schedule, the execution continues to its
  /// end.
  ///
  /// - Throws: ``ImpossibleSchedule`` if a step of the schedule cannot be made, or if the execution ends before the
  ///   schedule.
  public func replay(_ schedule: [Int]) throws(ImpossibleSchedule) -> ScheduleRecord {
    let replay = Replay(schedule)
    let record = Execution.run(program, choosing: replay, fibers: fibers(), recording: true)
    if let (step, strand, possible) = replay.impossible {
      throw ImpossibleSchedule(step: step + 1, strand: strand, possible: possible)
    }
    guard record.schedule.count >= schedule.count else {
      throw ImpossibleSchedule(step: record.schedule.count + 1, strand: schedule[record.schedule.count], possible: [])
    }
    return record
  }
}

/// The executions of one exploration, which share a pool of fibers.
private struct Session {
  let program: @Sendable () -> Void
  let fibers: FiberPool

  func run(_ chooser: some Chooser, recording: Bool = false) -> ScheduleRecord {
    Execution.run(program, choosing: chooser, fibers: fibers, recording: recording)
  }

  func depthFirst(_ strategy: Explorer.Strategy, atMost most: Int = .max, isOver: () -> Bool)
    throws(Explorer.Nondeterminism) -> ExplorationSummary
  {
    var bound: Int?
    if case .preemptions(let preemptions) = strategy { bound = preemptions }
    let chooser = DepthFirst(reduces: strategy == .reduced, preemptions: bound)
    var summary = ExplorationSummary(strategy)
    repeat {
      try note(run(chooser), in: &summary)
      if summary.unable != nil { return summary }
      if summary.schedules >= most || isOver() { return shown(summary) }
    } while chooser.advance()
    summary.isComplete = true
    return shown(summary)
  }

  func random<C: Chooser>(_ strategy: Explorer.Strategy, _ count: Int, isOver: () -> Bool, _ chooser: (Int) -> C)
    throws(Explorer.Nondeterminism) -> ExplorationSummary
  {
    var summary = ExplorationSummary(strategy)
    for index in 0..<count {
      try note(run(chooser(index)), in: &summary)
      if summary.unable != nil || isOver() { return shown(summary) }
    }
    summary.isComplete = true
    return shown(summary)
  }

  /// Returns the summary. If the search was reduced, the shortest failing schedule is replaced by a shorter one with
  /// few preemptions, if there is one, since the reduction may omit schedules that are easier to read.
  func withShortest(_ summary: inout ExplorationSummary, isOver: () -> Bool) throws(Explorer.Nondeterminism)
    -> ExplorationSummary
  {
    guard let found = summary.shortest, summary.strategy == .reduced else { return summary }
    for bound in 0...2 {
      let few = try depthFirst(.preemptions(bound), atMost: Explorer.fewOrders, isOver: isOver)
      if let simple = few.shortest, simple.isShorter(than: found) {
        summary.shortest = simple
        break
      }
    }
    return summary
  }

  /// Adds one execution to the summary. Each failing schedule and the first of every hundred schedules are repeated for
  /// verification.
  private func note(_ record: ScheduleRecord, in summary: inout ExplorationSummary) throws(Explorer.Nondeterminism) {
    summary.executions += 1
    if record.outcome == .abandoned {
      summary.abandoned += 1
      return
    }
    if case .unable(let why) = record.outcome { summary.unable = why }
    if record.outcome == .endless { summary.unable = record.outcome.words }
    summary.schedules += 1
    summary.outcomes.insert(record.outcome)
    if record.outcome.isBroken {
      summary.broken += 1
      if summary.shortest.map({ record.isShorter(than: $0) }) ?? true { summary.shortest = record }
    }
    if record.outcome.isBroken || summary.schedules % 100 == 1 {
      summary.executions += 1
      try verify(record)
    }
  }

  private func verify(_ record: ScheduleRecord) throws(Explorer.Nondeterminism) {
    let replay = Replay(record.schedule)
    let again = run(replay)
    guard again.schedule != record.schedule || again.outcome != record.outcome || again.strands != record.strands else {
      return
    }
    let differs = zip(again.schedule, record.schedule).prefix { $0 == $1 }.count
    throw Explorer.Nondeterminism(schedule: record.scheduleText, step: differs + 1)
  }

  /// Returns the summary with the steps of the shortest failing schedule, and with the names of the strands that make
  /// steps.
  private func shown(_ summary: ExplorationSummary) -> ExplorationSummary {
    var summary = summary
    if let shortest = summary.shortest { summary.shortest = run(Replay(shortest.schedule), recording: true) }
    for record in [run(Replay([]), recording: true)] + [summary.shortest].compactMap(\.self) {
      for name in record.participants where !summary.participants.contains(name) { summary.participants.append(name) }
    }
    return summary
  }
}

extension ScheduleRecord {
  fileprivate func isShorter(than other: ScheduleRecord) -> Bool {
    (decided, switches) < (other.decided, other.switches)
  }
}
