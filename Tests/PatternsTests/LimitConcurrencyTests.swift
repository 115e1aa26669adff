import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so most tests run in a process of their own.
@Suite struct LimitConcurrencyTests {
  @Test(
    arguments: ["window", "async-semaphore", "semaphore-in-queues", "imitated-operation-queue"],
    [(2, 1), (20, 1), (20, 3), (20, 20), (20, 50)])
  func `the tasks in progress reach the limit, but never exceed it`(_ variant: String, _ size: (jobs: Int, width: Int))
    async
  {
    let (jobs, width) = size
    await #expect(processExitsWith: .success) {
      [variant = variant as String, jobs = jobs as Int, width = width as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: LimitConcurrency(), files: Catalogue.files,
        ["jobs": .integer(jobs), "width": .integer(width), "work": .integer(1000)])
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.trial.reads == ["jobs", "width", "work"])
      for metric in ["over-width", "unused-slots", "missing"] { #expect(attempt.total(metric) == 0, "\(metric)") }
      let waiting = max(0, jobs - width)
      #expect(attempt.total("blocked-threads") == (variant == "semaphore-in-queues" ? waiting : 0))
    }
  }

  @Test func `all tasks are in progress at the same time without a limit`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "unlimited", of: LimitConcurrency(), files: Catalogue.files, ["jobs": .integer(20), "width": .integer(3)])
      #expect(attempt.total("over-width") == 17)
      #expect(attempt.total("blocked-threads") == 0 && attempt.total("missing") == 0)
    }
  }

  @Test func `an operation queue runs each operation once, and never exceeds its width`() {
    let operations = Operations(width: 2)
    let all = DispatchGroup()
    let ran = Slots(count: 100) { _ in Gauge() }
    let running = Gauge()
    for index in 0..<100 {
      operations.add(to: all) {
        running.up()
        ran[index].up()
        running.down()
      }
    }
    all.wait()
    #expect((0..<100).allSatisfy { ran[$0].now == 1 })
    #expect(running.peak <= 2)
  }

  @Test func `an async semaphore never exceeds its permits, and loses no permit`() async {
    let semaphore = AsyncSemaphore(value: 2)
    let running = Gauge()
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          await semaphore.wait()
          running.up()
          await Task.yield()
          running.down()
          semaphore.signal()
        }
      }
    }
    #expect(running.peak <= 2 && running.now == 0)
    await semaphore.wait()
    await semaphore.wait()
  }

  @Test func `a trial with too few threads, or without reports of their states, is unavailable`() async throws {
    try await expectUnavailable(
      LimitConcurrency(), Catalogue.files, ["jobs": .integer(20)], "semaphore-in-queues", needing: 20,
      \.census.capacity, "window", \.census.standstill)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = LimitConcurrency()
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      let variant = check.hasPrefix("all") ? "window" : String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, ["jobs": .integer(20)], body)
    }
    /// Runs one job more than allowed at once.
    @Sendable func isTooWide(_ trial: Trial) throws {
      try pattern.limit(trial) { jobs, width in await window(jobs, width: width + 1) }
    }
    /// Runs one job fewer than allowed at once.
    @Sendable func isTooNarrow(_ trial: Trial) throws {
      try pattern.limit(trial) { jobs, width in await window(jobs, width: width - 1) }
    }
    /// Executes jobs that block threads outside the pool for tasks.
    @Sendable func parks(_ trial: Trial) throws {
      try pattern.limit(trial) { jobs, width in
        let semaphore = DispatchSemaphore(value: width)
        await withTaskGroup { group in
          for job in jobs {
            group.addTask {
              await withCheckedContinuation { task in
                DispatchQueue(label: "waiter").async {
                  semaphore.wait()
                  task.resume()
                }
              }
              await job.runSuspending()
              semaphore.signal()
            }
          }
        }
      }
    }
    /// Executes blocks that block their threads while they wait for a place.
    @Sendable func parksBlocks(_ trial: Trial) throws {
      try pattern.limitBlocks(trial) { jobs, width, all in
        let semaphore = DispatchSemaphore(value: width)
        for job in jobs {
          DispatchQueue(label: "job").async(group: all) {
            semaphore.wait()
            job.run()
            semaphore.signal()
          }
        }
        all.wait()
      }
    }
    /// Executes at once the allowed number of blocks and `wider` further blocks. No block waits.
    @Sendable func runsBlocks(_ trial: Trial, wider: Int) throws {
      try pattern.limitBlocks(trial) { jobs, width, all in
        let operations = Operations(width: width + wider)
        for job in jobs { operations.add(to: all) { job.run() } }
        all.wait()
      }
    }
    return [
      red("unlimited.over-width > 0") { trial in
        try pattern.limit(trial) { jobs, width in await window(jobs, width: width) }
      },
      red("window.over-width == 0", isTooWide), red("async-semaphore.over-width == 0", isTooWide),
      red("window.unused-slots == 0", isTooNarrow), red("async-semaphore.unused-slots == 0", isTooNarrow),
      red("window.blocked-threads == 0", parks), red("async-semaphore.blocked-threads == 0", parks),
      red("semaphore-in-tasks.hung == 1") { trial in
        try pattern.deadlock(trial) { jobs, width in await window(jobs, width: width) }
      },
      red("semaphore-in-queues.over-width == 0") { try runsBlocks($0, wider: 1) },
      red("semaphore-in-queues.blocked-threads > 0") { try runsBlocks($0, wider: 0) },
      red("imitated-operation-queue.over-width == 0") { try runsBlocks($0, wider: 1) },
      red("imitated-operation-queue.blocked-threads == 0", parksBlocks),
      // One job is omitted.
      red("all.missing == 0") { trial in
        try pattern.limit(trial) { jobs, width in await window(jobs.dropLast(), width: width) }
      },
    ]
  }

  /// Executes jobs with a sliding window of `width` jobs, as the pattern does.
  private static func window(_ jobs: [RoundTask], width: Int) async {
    await withTaskGroup { group in
      for job in jobs.prefix(width) { group.addTask { await job.runSuspending() } }
      for job in jobs.dropFirst(width) {
        await group.next()
        group.addTask { await job.runSuspending() }
      }
    }
  }
}
