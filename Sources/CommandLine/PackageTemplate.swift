import Laboratory

/// The files of a new lab that `new` creates. The new lab measures the cost of a counter that a lock protects, and
/// explores every order of the counter's updates. The user replaces the counter with their own code.
struct PackageTemplate {
  /// The files, by their paths in the package.
  let files: [(path: String, text: String)]
  /// The path of a symbolic link in the package, and its destination relative to the folder of the link.
  let link: (path: String, destination: String)

  /// Creates the files of a package called `name`.
  ///
  /// - Parameter dependency: the line of the manifest that declares the dependency on this lab's package.
  /// - Throws: ``InputError`` if `name` is not a valid name of a package, a target and a type.
  init(_ name: String, dependency: String) throws(InputError) {
    let words = name.split(separator: "-", omittingEmptySubsequences: false)
    let isWord = { (word: Substring) in
      word.first?.isLetter == true && word.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
    }
    guard words.allSatisfy(isWord), !["gcdlab", "swift", "tests"].contains(name) else {
      throw InputError(
        "found '\(name)'; a name consists of lowercase words joined by '-', such as my-queue, and is not gcdlab, swift or tests"
      )
    }
    let type = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    let module = words.joined(separator: "_")
    files = [
      ("Package.swift", Self.manifest(name, type, dependency)),
      ("Sources/\(name)/main.swift", Self.main(type)),
      ("Sources/\(name)/\(type).swift", Self.pattern(name, type)),
      ("Sources/\(name)/Counter.swift", Self.counter(type)),
      ("Sources/\(type)Explored/\(type)Explored.swift", Self.exploration(name, type)),
      ("Sources/\(name)/scenarios/\(name).yml", Self.scenario(name)),
      ("Tests/\(type)Tests/\(type)Tests.swift", Self.test(type, module)),
      (".gitignore", ".build/\n"),
    ]
    link = ("Sources/\(type)Explored/Counter.swift", "../\(name)/Counter.swift")
  }

  private static func manifest(_ name: String, _ type: String, _ dependency: String) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "\(name)",
      platforms: [.macOS(.v15)],
      dependencies: [
        \(dependency)
      ],
      targets: [
        .executableTarget(
          name: "\(name)", dependencies: ["\(type)Explored", .product(name: "GCDLab", package: "gcdlab")],
          exclude: ["scenarios"], plugins: [.plugin(name: "Shelve", package: "gcdlab")]),
        // The code under test, compiled a second time against a model of locks and queues.
        .target(name: "\(type)Explored", dependencies: [.product(name: "Exploration", package: "gcdlab")]),
        .testTarget(
          name: "\(type)Tests", dependencies: ["\(name)", .product(name: "LabTesting", package: "gcdlab")]),
      ],
      swiftLanguageModes: [.v6]
    )

    """
  }

  private static func main(_ type: String) -> String {
    """
    import GCDLab
    import \(type)Explored

    Lab(patterns: [\(type)()], files: Shelf.files, explored: [explored\(type)]).main()

    """
  }

  private static func pattern(_ name: String, _ type: String) -> String {
    """
    import GCDLab
    import Synchronization

    /// The updates that a counter loses, and the cost of an update. Replace the counters with your own code.
    struct \(type): Pattern {
      static let name = "\(name)"

      let updates = Parameter.count("updates", 1...1_000_000, default: 20_000, "updates by each of two threads")

      let lost = Metric.count("lost", "updates that are not in the final value")
      let update = Metric.latency("update", "the time of an update by one thread alone, measured over 1000 updates")

      var variants: [Variant] {
        Variant("atomic", .modern, "an atomic counter") { trial in
          let counter = AtomicCounter()
          try measure(trial, update: { counter.value.add(1, ordering: .relaxed) }, value: { counter.value.load(ordering: .relaxed) })
        }
        Variant("mutex", .documented, "a counter that a lock protects") { trial in
          let counter = Counter()
          try measure(trial, update: { counter.add(1) }, value: { counter.value })
        }
      }

      /// Updates the counter from two threads at the same time, counts the lost updates, and times updates by one
      /// thread.
      private func measure(_ trial: Trial, update: @escaping @Sendable () -> Void, value: () -> Int) throws {
        let updates = trial[updates]
        let start = SpinBarrier(parties: 2)
        let team = try (0..<2).map { _ in
          try SystemThread {
            start.wait()
            for _ in 0..<updates { update() }
          }
        }
        for thread in team { thread.join() }
        trial.record(lost, 2 * updates - value())
        for _ in 0..<20 {
          trial.record(self.update, MonotonicClock.time { for _ in 0..<1000 { update() } }, over: 1000)
        }
      }
    }

    private final class AtomicCounter: Sendable { let value = Atomic(0) }

    """
  }

  private static func counter(_ type: String) -> String {
    """
    import Synchronization

    /// A counter that a lock protects: the code under test. Sources/\(type)Explored has a link to this file.
    final class Counter: Sendable {
      private let count = Mutex(0)

      /// The number of updates so far.
      var value: Int {
        get { count.withLock { $0 } }
        set { count.withLock { $0 = newValue } }
      }

      /// Adds `number` to the count while no other thread can access the count.
      func add(_ number: Int) { count.withLock { $0 += number } }
    }

    """
  }

  private static func exploration(_ name: String, _ type: String) -> String {
    """
    import Exploration

    // In this module, Counter.swift uses the model's mutex. Each call of the mutex is a step.
    typealias Mutex = ModelMutex

    /// The program that `explore \(name)` runs: two threads that each add one, in every order of their steps.
    public let explored\(type) = ExploredPattern(
      "\(name)",
      [
        .init("mutex", isBroken: false) { update { counter in counter.add(1) } },
        // This caller reads in one call and writes in another. A second thread may update the counter between the two
        // calls.
        .init("two-calls", isBroken: true) { update { counter in counter.value += 1 } },
      ])

    private func update(_ body: @escaping @Sendable (Counter) -> Void) {
      let counter = Counter()
      Execution.threads(2) { _ in body(counter) }
      let value = counter.value
      if value != 2 { Execution.breaks("the counter is \\(value)") }
    }

    """
  }

  private static func scenario(_ name: String) -> String {
    """
    scenario: \(name)
    pattern: \(name)
    title: Counting from two threads
    source: our own code
    tags: [own]
    lesson: |
      What the figures show, and what to use, in Markdown.
    baseline: mutex
    show: [update, lost]
    claims:
      - says: No update is lost.
        kind: guarantee
        check: all.lost == 0
      - says: An uncontended update of an atomic is cheaper than an update under a lock.
        kind: performance
        check: atomic.update < mutex.update
    conclusions:
      - if: [atomic.update < mutex.update]
        says: An update of an atomic takes {atomic.update}, and an update under a lock {mutex.update}.
    quick: {updates: 2000}

    """
  }

  private static func test(_ type: String, _ module: String) -> String {
    """
    import LabTesting
    import Testing

    @testable import \(module)

    @Suite struct \(type)Tests {
      /// Runs a variant once, in this process, with the settings of `quick:`, and judges the claims on the variant.
      @Test(arguments: ["atomic", "mutex"]) func `no update is lost`(_ variant: String) async throws {
        let attempt = try await Attempt(variant, of: \(type)(), files: Shelf.files)
        #expect(attempt.verdicts.values.allSatisfy { $0 == .held } && !attempt.verdicts.isEmpty)
      }
    }

    """
  }
}
