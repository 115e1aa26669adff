import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

/// Each test runs in a process of its own: the process identifier is part of the name of the scratch directory, and the
/// test examines the open descriptors.
@Suite struct FileMonitorPatternTests {
  /// Settings with few changes and without pauses.
  static let settings: [String: ParameterValue] = [
    "changes": .integer(2), "burst": .integer(20), "poll-interval": .integer(0),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = settings) async throws -> Attempt {
    try await Attempt(variant, of: FileMonitorPattern(), files: Catalogue.files, settings)
  }

  @Test(arguments: ["source", "polling", "burst-of-renames", "closed-early"])
  func `every variant keeps its promises, and leaves no file behind`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      let attempt = try await Self.attempt(variant)
      #expect(attempt.trial.outcome == .completed)
      let used = try #require(attempt.experiment.pattern.variant(variant))
      let settings = Set(attempt.experiment.pattern.parameters.map(\.name))
      #expect(attempt.trial.reads == settings.subtracting(used.ignores))
      let isUnclaimed = variant == "polling" && attempt.verdicts.isEmpty
      #expect(isUnclaimed || attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
      let left = try #require(namesInDirectory(ScratchDirectory.parent)).filter { $0 == "gcdlab-\(getpid())" }
      #expect(left.isEmpty)
    }
  }

  @Test func `the latency of each change is recorded, with pauses and without`() async {
    await #expect(processExitsWith: .success) {
      for interval in [0, 100_000] {
        let settings = Self.settings.merging(["poll-interval": .integer(interval)]) { $1 }
        for variant in ["source", "polling"] {
          let observation = try await Self.attempt(variant, settings).trial.observation
          #expect(observation.samples("latency")?.summary?.count == 2 * FileChange.allCases.count)
          for kind in FileChange.allCases {
            #expect(observation.samples("\(kind.rawValue)-latency")?.summary?.count == 2, "\(variant) \(kind)")
          }
        }
      }
    }
  }

  @Test func `renames between two writes are reported one by one, or merged into one event`() async {
    await #expect(processExitsWith: .success) {
      let attempt = try await Self.attempt("burst-of-renames")
      let told = try #require(attempt.total("events-between-writes"))
      // The system determines whether the events are merged. A system that reports events as flags merges all events.
      #expect(told == 20 || told == 1)
    }
  }

  @Test func `a change that the machine does not permit makes the trial unavailable`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var none = rlimit(rlim_cur: 1, rlim_max: 1)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &none) == 0)
      for variant in ["source", "polling"] {
        let outcome = try await Self.attempt(variant).trial.outcome
        guard case .unavailable(let reason) = outcome else {
          Issue.record("\(variant): \(outcome)")
          return
        }
        #expect(reason.hasPrefix("cannot write a file in ") && reason.hasSuffix(": File too large"), "\(reason)")
      }
    }
  }

  /// The status does not show the change, so the test does not wait for a deadline.
  @Test func `a change that the file status does not show has no latency`() async throws {
    let told = try await onOwnThread {
      let scratch = try ScratchDirectory()
      defer { scratch.remove() }
      let watch = FileWatch(of: try WatchedFile(in: scratch))
      let hasLooked = Atomic(false)
      try SystemThread {
        while !hasLooked.load(ordering: .relaxed) { watch.pollEnded() }
      }.detach()
      defer { hasLooked.store(true, ordering: .relaxed) }
      return watch.latency(of: .write, within: .seconds(600)) {}
    }
    #expect(told == nil)
  }

  // MARK: Broken bodies

  /// Monitors a file as the document's listing does. `tells` returns the number of reports for each change.
  private static func source(
    _ path: String, _ watch: FileWatch, tells: @escaping @Sendable (FileChange) -> Int = { _ in 1 },
    name: String? = nil, cancelled: @escaping @Sendable (Int32) -> Void = { close($0) }
  ) throws -> (file: Int32, source: FileMonitor) {
    let file = try openForEvents(path)
    let source = try FileMonitor(fileDescriptor: file, queue: .global())
    source.setEventHandler { change, time in
      for _ in 0..<tells(change) { watch.received(change, at: time, from: file, called: name ?? currentPath(of: file)) }
    }
    source.setCancelHandler {
      cancelled(file)
      watch.ended()
    }
    source.activate()
    return (file, source)
  }

  /// Returns a function that reports nothing after the first rename, like a monitor of a name.
  private static func upToRename() -> @Sendable (FileChange) -> Int {
    final class Latch: Sendable { let isClosed = Atomic(false) }
    let latch = Latch()
    return { change in
      let isClosed = latch.isClosed.load(ordering: .relaxed)
      if change == .rename { latch.isClosed.store(true, ordering: .relaxed) }
      return isClosed ? 0 : 1
    }
  }

  static var reds: [Red] {
    let pattern = FileMonitorPattern()
    let fast = settings.merging(["changes": .integer(1), "deadline": .integer(2_000_000)]) { $1 }
    func red(
      _ check: String, _ settings: [String: ParameterValue] = settings,
      _ begin: @escaping @Sendable (String, FileWatch) throws -> @Sendable () -> Void
    ) -> Red {
      Red(check, "source", of: pattern, settings) { trial in try pattern.follow(trial, begin) }
    }
    func burstRed(
      _ check: String, _ begin: @escaping @Sendable (String, FileWatch) throws -> FileMonitor
    ) -> Red {
      Red(check, "burst-of-renames", of: pattern, settings) { trial in try pattern.renameOften(trial, begin) }
    }
    return [
      red("source.kinds == 6", fast) { path, watch in
        try source(path, watch, tells: { $0 == .attrib ? 0 : 1 }).source.cancel
      },
      red("source.missed == 0", fast) { path, watch in
        try source(path, watch, tells: { $0 == .link ? 0 : 1 }).source.cancel
      },
      red("source.lost-after-rename == 0", fast) { path, watch in
        try source(path, watch, tells: upToRename()).source.cancel
      },
      red("source.misnamed == 0") { path, watch in try source(path, watch, name: path).source.cancel },
      red("source.wrong-descriptor == 0") { path, watch in
        let (file, source) = try source(path, watch, cancelled: { _ in })
        return {
          source.cancel()
          close(file)
        }
      },
      red("source.left-open == 0") { path, watch in
        try source(path, watch, cancelled: { _ in }).source.cancel
      },
      red("source.unrelated-closed == 0") { path, watch in
        let (file, source) = try source(path, watch)
        return {
          source.cancel()
          close(file)
        }
      },
      // A single write cannot be coalesced with another write.
      red("source.coalesced > 0", settings.merging(["burst": .integer(1)]) { $1 }) { path, watch in
        try source(path, watch).source.cancel
      },
      Red("closed-early.misnamed > 0", "closed-early", of: pattern, settings) { trial in
        try pattern.renameWithReusedDescriptor(trial) { path, watch in try source(path, watch).source.cancel }
      },
      burstRed("burst-of-renames.events-while-busy == 1") { path, watch in
        try source(path, watch, tells: { $0 == .rename ? 2 : 1 }).source
      },
      burstRed("burst-of-renames.events-while-suspended == 1") { path, watch in
        try source(path, watch, tells: { $0 == .rename ? 2 : 1 }).source
      },
      burstRed("burst-of-renames.misnamed == 0") { path, watch in try source(path, watch, name: path).source },
    ]
  }
}
