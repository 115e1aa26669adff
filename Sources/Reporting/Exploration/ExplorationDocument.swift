import Exploration
import Laboratory

/// The results of explorations, for encoding as JSON.
struct ExplorationDocument: Encodable {
  struct Result: Encodable {
    let scenario, variant: String
    let isBroken: Bool
    let says: String
    let obstacle, leavesOut: String?
    let schedules, broken, abandoned, executions: Int?
    let isComplete, isReduced: Bool?
    let seconds: Double
    let trials, trialsThatShowIt: Int?
    let shortest: Schedule?
  }

  struct Schedule: Encodable {
    let schedule, outcome: String
    let steps: [Step]
    let waiting: [String]?
  }

  struct Step: Encodable {
    let thread: String
    let does: String
    let breaks: String?
  }

  let schema = "gcdlab.exploration/1"
  let version = Tool.version
  let limits: [String]
  let results: [Result]

  init(_ results: [ExplorationResult]) {
    limits = ExplorationWords.limits(results)
    self.results = results.map { result in
      let summary = result.summary
      return Result(
        scenario: result.pattern, variant: result.variant.name, isBroken: result.variant.isBroken,
        says: ExplorationWords.sentence(result), obstacle: result.obstacle,
        leavesOut: result.leavesOut, schedules: summary?.schedules, broken: summary?.broken,
        abandoned: summary?.abandoned, executions: summary?.executions,
        isComplete: summary?.isComplete, isReduced: summary.map { $0.strategy == .reduced }, seconds: result.seconds,
        trials: result.trials?.of, trialsThatShowIt: result.trials?.seen,
        shortest: summary?.shortest.map(Schedule.init))
    }
  }
}

extension ExplorationDocument.Schedule {
  init(_ record: ScheduleRecord) {
    schedule = record.scheduleText
    outcome = record.outcome.words
    steps = record.shown.map {
      .init(thread: record.strands[$0.strand], does: $0.words.joined(separator: ", "), breaks: $0.breaks)
    }
    waiting = if case .deadlock(let waiting) = record.outcome { waiting } else { nil }
  }
}
