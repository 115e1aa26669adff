import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests look for parked threads in the whole process, so each test runs in a process of its own. The tests run one
/// after the other, since a process inherits the descriptors of all processes that start at the same time.
@Suite(.serialized) struct GroupWaitVsNotifyTests {
  /// The pattern with a queue of its own for completions, since a test process does not serve the main queue.
  static var pattern: GroupWaitVsNotify {
    var pattern = GroupWaitVsNotify()
    pattern.mainQueue = DispatchQueue(label: "completions")
    return pattern
  }

  static let settings: [String: ParameterValue] = ["work": .integer(1000), "repeats": .integer(5)]

  /// The number of threads that each variant parks.
  static let parked = [
    "wait": 1, "wait-in-caller": 1, "wait-timeout": 1, "wait-enough-time": 1, "notify": 0, "notify-background": 0,
    "semaphore": 1, "semaphore-background": 1, "thread-join": 1, "task-group": 0,
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue]) async throws -> Attempt {
    try await Attempt(
      variant, of: pattern, files: Catalogue.files, Self.settings.merging(settings) { $1 })
  }

  @Test func `every variant is tested`() {
    #expect(Set(Self.pattern.variants.map(\.name)) == Set(Self.parked.keys))
  }

  @Test(arguments: parked.keys.sorted(), ["pool", "thread"])
  func `every variant keeps its promises, whichever thread leaves the group last`(_ variant: String, _ leaver: String)
    async
  {
    await #expect(processExitsWith: .success) { [variant = variant as String, leaver = leaver as String] in
      let attempt = try await Self.attempt(variant, ["last-leave-on": .text(leaver)])
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
      #expect(attempt.total("missing") == 0)
      let records = try #require(Self.pattern.variants.first { $0.name == variant }).records.map(\.name)
      for measure in ["not-once", "wrong-queue", "wrong-notify-queue"] where records.contains(measure) {
        #expect(attempt.total(measure) == 0, "\(measure)")
      }
      #expect(attempt.trial.observation.samples("total")?.summary?.count == 5)
      if ThreadCensus.taken() != nil { #expect(attempt.total("blocked-threads") == Self.parked[variant]) }
    }
  }

  @Test(arguments: parked.keys.sorted())
  func `every variant works with one download and with more downloads than cores`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      for tasks in [1, 40] {
        let attempt = try await Self.attempt(variant, ["tasks": .integer(tasks), "repeats": .integer(1)])
        #expect(attempt.isNone(otherThan: .held) && attempt.total("missing") == 0, "\(tasks)")
      }
    }
  }

  @Test func `a wait with a timeout reports each timeout`() async {
    await #expect(processExitsWith: .success) {
      let attempt = try await Self.attempt("wait-timeout", [:])
      #expect(attempt.total("timeouts") == 5)
    }
  }

  @Test func `a trial that cannot start a thread is unavailable`() async {
    await #expect(processExitsWith: .success) {
      let pattern = Self.pattern
      let attempt = try await Attempt("thread-join", of: pattern, files: Catalogue.files, Self.settings) { trial in
        try pattern.measureInCaller(trial) { _ in throw SystemError(EAGAIN, "start a thread") }
      }
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      #expect(reason.contains("start a thread"))
    }
  }

  // MARK: Broken bodies

  /// A method that does not enter the group. The group reports at once that all downloads are complete. The downloads
  /// arrive after the completion has run.
  private static var forgetsToEnter: GroupWaitVsNotify.Method {
    let late = DispatchGroup()
    return { download in
      // The downloads of the previous call have arrived, so that a figure is measured.
      late.wait()
      let group = DispatchGroup()
      for photo in download.photos {
        download.queue.async(group: late) {
          while download.completions.count == 0 { yieldProcessor() }
          photo.load()
        }
      }
      download.otherWork()
      group.notify(queue: download.mainQueue) {
        download.completionBlock()
        download.openGate()
      }
    }
  }

  /// Calls `notify` again in the completion.
  @Sendable private static func subscribesTwice(_ download: GroupDownload) {
    let group = DispatchGroup()
    for photo in download.photos {
      group.enter()
      photo.load { group.leave() }
    }
    group.notify(queue: download.mainQueue) {
      group.notify(queue: download.mainQueue) { download.completionBlock() }
      download.completionBlock()
    }
  }

  /// Notifies the completion on the queue on which the downloads run.
  @Sendable private static func completesAnywhere(_ download: GroupDownload) {
    let group = DispatchGroup()
    for photo in download.photos {
      group.enter()
      photo.load { group.leave() }
    }
    group.notify(queue: download.queue) { download.completionBlock() }
  }

  /// Notifies the completion on the main queue instead of the background queue.
  @Sendable private static func staysOnMainQueue(_ download: GroupDownload) {
    let group = DispatchGroup()
    for photo in download.photos {
      group.enter()
      photo.load { group.leave() }
    }
    group.notify(queue: download.mainQueue) {
      download.noticedInBackground()
      download.mainQueue.async { download.completionBlock() }
    }
  }

  /// Returns a method that waits with a timeout as the variants do, by calling `wait`.
  private static func waiting(
    by wait: @escaping @Sendable (DispatchGroup, GroupDownload) -> DispatchTimeoutResult
  ) -> GroupWaitVsNotify.Method {
    { download in
      let group = DispatchGroup()
      for photo in download.photos {
        group.enter()
        photo.load { group.leave() }
      }
      _ = download.timed { wait(group, download) }
      group.notify(queue: download.mainQueue) { download.completionBlock() }
    }
  }

  /// Abandons the downloads at the timeout, and does not wait for their completion.
  @Sendable private static func givesUp(_ download: GroupDownload) {
    let group = DispatchGroup()
    for photo in download.photos {
      group.enter()
      photo.load { group.leave() }
    }
    _ = group.wait(timeout: .now() + .microseconds(1))
    download.mainQueue.async {
      download.completionBlock()
      download.openGate()
    }
  }

  /// A method that submits the downloads and does not wait for them. The downloads arrive after the caller has
  /// continued.
  private static var continues: GroupWaitVsNotify.Method {
    let late = DispatchGroup()
    return { download in
      // The downloads of the previous call have arrived, so that a figure is measured.
      late.wait()
      for photo in download.photos {
        download.queue.async(group: late) {
          while download.completions.count == 0 { yieldProcessor() }
          photo.load()
        }
      }
      download.otherWork()
    }
  }

  /// Returns a method that notifies, although `count` threads of the pool sleep until the end.
  private static func parking(_ count: Int) -> GroupWaitVsNotify.Method {
    { download in
      let (group, begun) = (DispatchGroup(), DispatchSemaphore(value: 0))
      for _ in download.photos { group.enter() }
      for index in 0..<count {
        DispatchQueue(label: "sleeper.\(index)").async {
          begun.signal()
          group.wait()
        }
      }
      for _ in 0..<count { begun.wait() }
      for photo in download.photos { photo.load { group.leave() } }
      group.notify(queue: download.mainQueue) { download.completionBlock() }
    }
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(
      _ check: String, _ variant: String, _ settings: [String: ParameterValue] = [:],
      _ body: @escaping @Sendable (Trial) throws -> Void
    ) -> Red {
      Red(check, variant, of: pattern, Self.settings.merging(settings) { $1 }, body)
    }
    return [
      red("notify.missing == 0", "notify") { try pattern.measure($0, forgetsToEnter) },
      red("notify-background.missing == 0", "notify-background") {
        try pattern.measureByBackground($0, forgetsToEnter)
      },
      red("notify-background.wrong-notify-queue == 0", "notify-background") {
        try pattern.measureByBackground($0, staysOnMainQueue)
      },
      red("notify.not-once == 0", "notify") { try pattern.measure($0, subscribesTwice) },
      red("notify.wrong-queue == 0", "notify") { try pattern.measure($0, completesAnywhere) },
      red("wait.missing == 0", "wait") { try pattern.measure($0, forgetsToEnter) },
      red("semaphore.missing == 0", "semaphore") { try pattern.measure($0, forgetsToEnter) },
      red("task-group.missing == 0", "task-group") { try pattern.measureTask($0, forgetsToEnter) },
      red("wait-timeout.false-successes == 0", "wait-timeout") {
        try pattern.measureWaitThatExpires($0, waiting { _, _ in .success })
      },
      red("wait-timeout.early-timeouts == 0", "wait-timeout", ["timeout": .integer(1_000_000_000)]) {
        try pattern.measureWaitThatExpires($0, waiting { group, _ in group.wait(timeout: .now()) })
      },
      red("wait-timeout.missing == 0", "wait-timeout") { try pattern.measureWaitThatExpires($0, givesUp) },
      red("wait-enough-time.timeouts == 0", "wait-enough-time") {
        try pattern.measureWaitWithEnoughTime(holdsBack: true)($0, waiting { group, _ in group.wait(timeout: .now()) })
      },
      red("wait-in-caller.missing == 0", "wait-in-caller") { try pattern.measureInCaller($0, continues) },
      red("wait-in-caller.blocked-threads == 1", "wait-in-caller") { try pattern.measureInCaller($0, continues) },
      red("wait.blocked-threads == 1", "wait") { try pattern.measure($0, parking(2)) },
      red("notify.blocked-threads == 0", "notify") { try pattern.measure($0, parking(1)) },
      red("task-group.blocked-threads == 0", "task-group") { try pattern.measureTask($0, parking(1)) },
    ]
  }
}
