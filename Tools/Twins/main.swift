import Dispatch
import GCDLab
import Laboratory

/// A pattern with two identical variants, to count how often the lab reports a difference between them (`make
/// tallies`).
///
/// If `TWINS_SLOWER` is 15 in the environment, both variants do 15 % more work, as in a binary that became slower.
struct Twins: Pattern {
  static let name = "twins"

  let work = Parameter.duration(
    "work", .microseconds(1) ... .milliseconds(10), default: .microseconds(200), "of a task")

  let elapsed = Metric.latency("elapsed", "a task on the global queue, from submission to the end of the wait for it")

  var variants: [Variant] {
    Variant("one", .documented, "a task, and a wait for it") { run($0) }
    Variant("other", .documented, "the same") { run($0) }
  }

  private func run(_ trial: Trial) {
    let slower = Double(Terminal.environment("TWINS_SLOWER") ?? "") ?? 0
    let nanoseconds = Int(Double(trial[work].nanoseconds) * (1 + slower / 100))
    for _ in 0..<20 {
      let task = DispatchWorkItem { trial.work.spin(nanoseconds: nanoseconds) }
      trial.record(
        elapsed,
        MonotonicClock.time {
          DispatchQueue.global().async(execute: task)
          task.wait()
        })
    }
  }
}

let scenario = """
  scenario: twins
  pattern: twins
  title: Is a variant slower than itself?
  source: none
  tags: [test]
  lesson: Both variants are the same.
  baseline: one
  show: [elapsed]
  claims:
    - says: One of two that are the same is faster.
      kind: performance
      check: one.elapsed < other.elapsed
  """

Lab(patterns: [Twins()], files: [("twins.yml", scenario)]).main()
