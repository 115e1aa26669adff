import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Laboratory
@testable import Patterns

/// A trial lowers the descriptor limit of its whole process, so each test runs in a process of its own.
@Suite struct FileDescriptorSemaphoreTests {
  /// Settings with more tasks than descriptors, but not with more tasks than the pool has threads.
  static let settings: [String: ParameterValue] = [
    "limit": .integer(64), "tasks": .integer(84), "hold": .integer(1_000_000),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = settings) async throws -> Attempt {
    try await Attempt(variant, of: FileDescriptorSemaphore(), files: Catalogue.files, settings)
  }

  @Test(arguments: ["semaphore", "semaphore-at-submit", "queue-pool"])
  func `no open fails, and the limit is restored`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let before = try DescriptorLimit.current()
      let attempt = try await Self.attempt(variant)
      #expect(attempt.brokenPromises == [])
      #expect((attempt.total("peak-open") ?? 0) >= 1)
      let after = try DescriptorLimit.current()
      #expect(after == before)
    }
  }

  @Test func `opens fail without the semaphore`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Self.attempt("unlimited")
      #expect(try attempt.verdict("unlimited.failed-opens > 0") == .witnessed)
    }
  }

  @Test func `no open fails if the semaphore has fewer permits than descriptors are free`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let permits = 16
      let attempt = try await Self.attempt(
        "permits-at-submit", Self.settings.merging(["permits": .integer(permits)]) { $1 })
      #expect(attempt.total("failed-opens") == 0)
      #expect((1...permits).contains(attempt.total("peak-open") ?? 0))
    }
  }

  @Test func `opens fail if the semaphore has more permits than descriptors are free`() async throws {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let permits = 64
      // A busy machine may start the threads so slowly that the first tasks close their files before the last ones open
      // theirs. The time for which a task holds its file therefore grows until an open fails.
      var failures = 0
      for milliseconds in [50, 250, 1_000] where failures == 0 {
        let attempt = try await Self.attempt(
          "permits-at-submit",
          Self.settings.merging(
            ["permits": .integer(permits), "hold": .integer(milliseconds * 1_000_000)]) { $1 })
        failures = attempt.total("failed-opens") ?? 0
        #expect((1...permits).contains(attempt.total("peak-open") ?? 0))
      }
      #expect(failures > 0)
    }
  }

  @Test func `a limit that the tasks cannot reach makes the trial without a semaphore unavailable`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Self.attempt("unlimited", ["limit": .integer(256), "tasks": .integer(84)])
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      #expect(reason.hasPrefix("no open can fail: limit "))
    }
  }

  @Test func `a finding reports that the semaphore never blocks at a limit of twice the number of tasks`() throws {
    func findings(_ limit: Int, tasks: Int = 90) -> [String] {
      let pattern = FileDescriptorSemaphore()
      let runs = pattern.variants.map { variant in
        VariantRun(
          variant: variant, point: Point(), parameters: ["limit": .integer(limit), "tasks": .integer(tasks)],
          trials: [])
      }
      return pattern.findings(
        in: Results(experiment: FakePattern.experiment(), machine: .test, seed: 1, started: "", runs: runs)
      ).map(\.says)
    }
    #expect(findings(179).isEmpty)
    #expect(
      findings(180).count == 1 && findings(180)[0].hasSuffix("from limit 180 on, the semaphore blocks none of 90 tasks")
    )
  }

  @Test func `a comparison of permits says how many turns the tasks take, and what the rest of the process has open`() {
    /// Returns the findings about runs whose tasks have at most 57 files open.
    func findings(_ permits: [Int], lastPeak: Int = 55) -> [String] {
      let pattern = FileDescriptorSemaphore()
      guard let variant = pattern.variants.first(where: { $0.name == "permits-at-submit" }) else { return [] }
      var experiment = FakePattern.experiment()
      experiment.isComparison = true
      let runs = permits.map { permits in
        // In the last round of each setting, no open fails, although fewer files are open.
        let trials = [57, 57, lastPeak].enumerated().map { round, peak in
          var observation = Observation()
          observation.record("failed-opens", peak == 57 ? max(permits - 57, 0) : 0)
          observation.record("elapsed", 10_000_000)
          observation.record("peak-open", min(permits, peak))
          return TrialRecord(round: round, outcome: .completed, observation: observation)
        }
        let parameters = ["permits": permits, "limit": 64, "tasks": 90].mapValues(ParameterValue.integer)
        return VariantRun(
          variant: variant, point: Point([Setting("permits", .integer(permits))]), parameters: parameters,
          trials: trials)
      }
      return pattern.findings(in: Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs))
        .map(\.says)
    }
    let turns =
      "90 tasks take turns: 3 with permits 32 to 44, 2 with permits 48. More permits gain little unless they save a "
      + "turn, and with more tasks a turn matters less."
    // With 60 permits opens fail, and a task whose open fails takes no turn.
    #expect(
      findings([32, 44, 48, 60]) == [
        turns,
        "When opens failed, the tasks had 57 files open, so 57 is the limit here: the rest of this process uses 7 of its 64 "
          + "descriptors, and the rest of yours may use more.",
      ])
    #expect(
      findings([58, 60], lastPeak: 57).first
        == "Opens failed at every setting, so none of these is safe, and the best is only the fastest: try fewer permits."
    )
    // Without failures, nothing is known about the rest of the process. One number of turns saves none.
    #expect(findings([44, 48]).count == 1 && findings([48, 56]).isEmpty)
  }

  @Test func `the precision that a comparison reached is that of the settings without failed opens`() throws {
    /// Returns the remark on the precision if the rounds at 4, 24, 32 and 60 permits vary by the shares in `noise`.
    func remark(_ noise: [Double]) throws -> String? {
      let pattern = FileDescriptorSemaphore()
      let description = try PatternDescription(pattern)
      let variant = try #require(description.variants.first { $0.name == "permits-at-submit" })
      var experiment = Experiment(
        name: "fd-semaphore", pattern: description, title: "", source: "", variants: [variant],
        show: ["elapsed", "failed-opens"])
      experiment.isComparison = true
      let runs = zip([4, 24, 32, 60], noise).map { permits, noise in
        let trials = (0..<12).map { round in
          var observation = Observation()
          observation.record("failed-opens", max(permits - 57, 0))
          let time = permits == 60 ? 1e5 : 1e7 / Double(permits)
          observation.record("elapsed", time * (1 + noise * Double(round * round % 5)))
          return TrialRecord(round: round, outcome: .completed, observation: observation)
        }
        return VariantRun(
          variant: variant, point: Point([Setting("permits", .integer(permits))]),
          parameters: ["permits": .integer(permits)], trials: trials)
      }
      let results = Results(experiment: experiment, machine: .test, seed: 1, started: "", runs: runs)
      return results.warnings(within: Budget(rounds: 6, precision: 0.02)).first { $0.kind == RunNote.precision }?.says
    }
    // The ratio of 4 to 32 permits is far above 2x, so it hardly affects the answer.
    #expect(try remark([0, 0, 0, 0.2]) == nil)
    #expect(try remark([0.2, 0, 0, 0]) == nil)
    let open = try remark([0, 0.2, 0, 0])
    #expect(open?.contains(/^±\d+ % reached for ratios not certainly above 2x, goal ±2 %$/) == true, "\(open ?? "")")
  }

  @Test func `the rounds of a comparison do not depend on a setting whose opens fail, however fast it is`() throws {
    /// Returns the number of rounds if opens fail at 60 permits from `round` on, where the times vary by 40 %.
    func rounds(failingFrom first: Int) throws -> Int {
      let description = try PatternDescription(FileDescriptorSemaphore())
      let variant = try #require(description.variants.first { $0.name == "permits-at-submit" })
      let permits = [24, 32, 60]
      var experiment = Experiment(
        name: "fd-semaphore", pattern: description, title: "", source: "", variants: [variant],
        sweep: [Sweep("permits", permits.map(ParameterValue.integer))],
        show: ["elapsed", "failed-opens"])
      experiment.isComparison = true
      let plan = Plan(experiment, budget: Budget(rounds: 6, precision: 0.02), seed: 1)
      var pace = Pace(plan, clock: { 0 })
      for round in 0..<40 {
        guard pace.begin(round: round) else { return round }
        for run in 0..<3 {
          var observation = Observation()
          observation.record("failed-opens", run == 2 && round >= first ? 3 : 0)
          observation.record("elapsed", [1200, 1000, round * round % 5 < 2 ? 700 : 1000][run])
          try pace.record(TrialRecord(round: round, outcome: .completed, observation: observation), of: run)
        }
      }
      return 40
    }
    #expect(try rounds(failingFrom: 0) == 6)
    #expect(try rounds(failingFrom: 9) == 10)
    #expect(try rounds(failingFrom: 40) > 10)
  }

  @Test func `a comparison of limits names the threads of the pool if there are more tasks than threads`() {
    let pattern = FileDescriptorSemaphore()
    let tasks = ThreadPool.limit + 145
    func saturation(_ tasks: Int) -> String? {
      pattern.saturation(of: "limit", with: ["tasks": .integer(tasks)]).map { "\($0.from): \($0.reason)" }
    }
    #expect(saturation(90) == "180: from 180 on, the semaphore blocks none of 90 tasks")
    #expect(pattern.saturation(of: "permits", with: ["tasks": .integer(90)])?.from == 90)
    #expect(pattern.saturation(of: "hold", with: ["tasks": .integer(90)]) == nil)
    let from = 2 * ThreadPool.limit
    let reason = "not the semaphore but the \(ThreadPool.limit) threads of the pool limit the open files"
    #expect(saturation(tasks) == "\(from): from \(from) on, \(reason)")
  }

  @Test func `a trial with too few free descriptors reports how many it needs, and which limit to set`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      while DescriptorLimit.free(below: 48) > 8, dup(0) >= 0 {}
      let attempt = try await Self.attempt("semaphore", ["limit": .integer(48)])
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      #expect(reason.hasPrefix("24 of 48 descriptors must be free, ") && reason.contains("set limit to at least "))
    }
  }

  @Test func `a trial of a pool with more queues than free descriptors is unavailable`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "queue-pool", of: FileDescriptorSemaphore(), files: Catalogue.files, ["limit": .integer(32)], cores: 64)
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      #expect(reason.hasPrefix("32 of 32 descriptors must be free, "))
    }
  }

  @Test func `a trial with too low a hard limit reports the required and the available limit`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      var limits = rlimit(rlim_cur: 256, rlim_max: 256)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
      let attempt = try await Self.attempt("semaphore", ["limit": .integer(257)])
      #expect(
        attempt.trial.outcome
          == .unavailable(reason: "a limit of 257 open descriptors is needed, this process may have 256"))
    }
  }

  // MARK: Broken bodies

  /// Runs the document's listing with a semaphore whose value is too high. The tasks wait for the semaphore, or the
  /// submitting thread does if `atSubmit` is true.
  private static func tooHighValue(_ trial: Trial, _ pattern: FileDescriptorSemaphore, atSubmit: Bool) throws {
    try pattern.process(threads: .perCore, timesWaits: true)(trial) { files in
      let fdSema = files.timed(DispatchSemaphore(value: 10_000))
      files.submitEach { task in
        if atSubmit { fdSema.wait() }
        DispatchQueue(label: "file").async(group: files.all) {
          if !atSubmit { fdSema.wait() }
          let file = task.open()
          task.readUntilOthersTried(file)
          task.close(file)
          fdSema.signal()
        }
      }
    }
  }

  /// Runs each task on a queue of its own, as a pool with too many queues would.
  private static func tooManyQueues(_ trial: Trial, _ pattern: FileDescriptorSemaphore) throws {
    try pattern.process(threads: .perCore)(trial) { files in
      files.submitEach { task in
        DispatchQueue(label: "file").async(group: files.all) {
          let file = task.open()
          task.readUntilOthersTried(file)
          task.close(file)
        }
      }
    }
  }

  /// Runs all tasks one after the other on one queue.
  private static func oneQueue(_ trial: Trial, _ pattern: FileDescriptorSemaphore) throws {
    try pattern.process(threads: .perCore)(trial) { files in
      let queue = DispatchQueue(label: "files")
      files.submitEach { task in
        queue.async(group: files.all) {
          let file = task.open()
          task.close(file)
        }
      }
    }
  }

  static var reds: [Red] {
    var patient = FileDescriptorSemaphore()
    // All tasks have a thread, but a busy machine may start the threads late.
    patient.patience = .seconds(600)
    let (pattern, settings) = (patient, settings)
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, settings, body)
    }
    return [
      red("semaphore.failed-opens == 0", "semaphore") { try tooHighValue($0, pattern, atSubmit: false) },
      red("semaphore.over-half == 0", "semaphore") { try tooHighValue($0, pattern, atSubmit: false) },
      red("semaphore-at-submit.failed-opens == 0", "semaphore-at-submit") {
        try tooHighValue($0, pattern, atSubmit: true)
      },
      red("semaphore-at-submit.over-half == 0", "semaphore-at-submit") {
        try tooHighValue($0, pattern, atSubmit: true)
      },
      red("queue-pool.failed-opens == 0", "queue-pool") { try tooManyQueues($0, pattern) },
      red("unlimited.failed-opens > 0", "unlimited") { try oneQueue($0, pattern) },
    ]
  }
}
