import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct LibraryLoadTests {
  /// The pattern with another queue instead of the main queue, which a test process does not serve.
  static var pattern: LibraryLoad {
    var pattern = LibraryLoad()
    pattern.mainQueue = DispatchQueue(label: "main")
    return pattern
  }

  static let settings: [String: ParameterValue] = [
    "items": .integer(20), "hold": .integer(1_000_000), "gated-loads": .integer(2), "repeats": .integer(2),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(variant, of: pattern, files: Catalogue.files, Self.settings.merging(settings) { $1 })
  }

  @Test(arguments: ["append-in-group", "notify-on-items-queue", "semaphore", "task-group"], [2, 300])
  func `a correct load is complete when it reports completion, even if a source fails`(_ variant: String, _ items: Int)
    async throws
  {
    let attempt = try await Self.attempt(variant, ["items": .integer(items)])
    #expect(attempt.brokenPromises == [])
    #expect(attempt.total("missing") == 0 && attempt.total("lost") == 0)
    #expect(attempt.total("early-completions") == 0 && attempt.total("late-items") == 0)
    #expect(attempt.total("failures") == 4)
    #expect((attempt.total("found") ?? 0) >= 4)
  }

  @Test func `the document's load completes before all its items are appended, and loses no item`() async throws {
    let attempt = try await Self.attempt("documented")
    #expect(try attempt.verdict("documented.missing > 0") == .witnessed)
    #expect(try attempt.verdict("documented.lost == 0") == .held)
    // All items of the held queue are missing.
    #expect((attempt.total("missing") ?? 0) >= (attempt.total("found") ?? 0) / 2)
    // Loads without a held queue have figures of their own.
    #expect(attempt.total("ungated-loads") == 2 && (attempt.total("early-completions") ?? 3) <= 2)
  }

  @Test func `two threads that append at the same time lose an item`() async throws {
    #expect(try await Self.attempt("unsynchronized").verdict("unsynchronized.lost > 0") == .witnessed)
  }

  @Test(arguments: ["/no/such", "/usr:/no/such", "/dev/null", "", ":"])
  func `a trial reports a missing directory, or that no directory is given`(_ roots: String) async throws {
    let attempt = try await Self.attempt("append-in-group", ["roots": .text(roots)])
    guard case .unavailable(let reason) = attempt.trial.outcome else {
      Issue.record("\(attempt.trial.outcome)")
      return
    }
    let wrong = roots.split(separator: ":").last.map { "cannot read the directory \($0): " } ?? "no path in roots"
    #expect(reason.contains(wrong), "\(reason)")
  }

  @Test func `a trial whose directories contain no file is unavailable`() async throws {
    let directory = try ScratchDirectory()
    defer { directory.remove() }
    let attempt = try await Self.attempt("append-in-group", ["roots": .text(directory.path)])
    #expect(
      attempt.trial.outcome
        == .unavailable(reason: "files are needed: there are none in \(directory.path)"))
  }

  /// The test runs in a process of its own, which becomes another user for a while if it runs as root.
  @Test func `a trial reports a directory that it cannot read`() async throws {
    let wasTried = await isSeen(inProcesses: 1) {
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        let directory = try ScratchDirectory()
        defer { directory.remove() }
        let locked = directory.file("locked")
        #expect(mkdir(locked, 0) == 0)
        let isRoot = geteuid() == 0
        if isRoot, seteuid(64123) != 0 { return }
        defer { if isRoot { seteuid(0) } }
        tellSeen()
        let attempt = try await Self.attempt("append-in-group", ["roots": .text(locked)])
        guard case .unavailable(let reason) = attempt.trial.outcome else {
          Issue.record("\(attempt.trial.outcome)")
          return
        }
        #expect(reason.contains("cannot read the directory \(locked): "))
      }
    }
    if !wasTried { try skip("root cannot be another user here, and may read all") }
  }

  // MARK: Broken bodies

  /// Executes the document's three methods, which pass their items to `add`.
  @Sendable private static func build(_ library: Library, _ add: @escaping @Sendable (Library.Item) -> Void) {
    library.queue.async(group: library.group) { library.media.forEach(add) }
    for source in [library.assets, library.bundle] {
      library.group.enter()
      source.enumerate { item in
        guard let item else { return library.group.leave() }
        add(item)
      } failure: { _ in
        library.group.leave()
      }
    }
  }

  /// Loads the library as the document does.
  @Sendable private static func documented(_ library: Library) {
    build(library) { item in
      library.itemsQueue.async { library.append(item) }
    }
    library.group.notify(queue: library.queue) {
      library.mainQueue.async { library.completionHandler() }
    }
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      // The hold is long, so that the result does not depend on the load of the machine.
      Red(check, variant, of: pattern, Self.settings.merging(["hold": .integer(1_000_000_000)]) { $1 }, body)
    }
    let early = ["append-in-group", "notify-on-items-queue", "semaphore", "task-group"].map { variant in
      red("\(variant).missing == 0", variant) { try pattern.measure($0, documented) }
    }
    return early + [
      // The load waits for the appends.
      red("documented.missing > 0", "documented") { trial in
        try pattern.measureEarly(patience: .milliseconds(10))(trial) { library in
          build(library) { item in
            library.itemsQueue.async(group: library.group) { library.append(item) }
          }
          library.group.notify(queue: library.mainQueue) { library.completionHandler() }
        }
      },
      red("documented.lost == 0", "documented") { trial in
        try pattern.measureUnsynchronized()(trial) { library in
          build(library) { item in library.append(item) }
          library.group.notify(queue: library.mainQueue) { library.completionHandler() }
        }
      },
      red("documented.not-once == 0", "documented") { trial in
        try pattern.measureEarly()(trial) { library in
          documented(library)
          library.group.notify(queue: library.mainQueue) { library.completionHandler() }
        }
      },
      // One thread appends at a time.
      red("unsynchronized.lost > 0", "unsynchronized") { trial in
        try pattern.measureUnsynchronized(patience: .milliseconds(10))(trial) { library in
          let queue = DispatchQueue(label: "appends")
          build(library) { item in
            queue.sync { library.append(item) }
          }
          library.group.notify(queue: library.mainQueue) { library.completionHandler() }
        }
      },
    ]
  }
}
