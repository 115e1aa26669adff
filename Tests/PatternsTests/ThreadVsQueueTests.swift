import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct ThreadVsQueueTests {
  static func attempt(_ variant: String) async throws -> Attempt {
    try await Attempt(
      variant, of: ThreadVsQueue(), files: Catalogue.files,
      variant == "async-waiting"
        ? ["objects": .integer(200)] : ["repeats": .integer(10), "objects": .integer(200)])
  }

  @Test(arguments: ["async-warm", "async-cold", "thread", "thread-pool", "task"])
  func `each requested thread or block begins once`(_ variant: String) async throws {
    let attempt = try await Self.attempt(variant)
    #expect(attempt.trial.outcome == .completed)
    #expect(attempt.verdicts == ["all.not-once == 0": .held])
    #expect(attempt.trial.observation.samples("start")?.summary?.count == 10)
  }

  /// The test runs in a process of its own, in which no other objects are created or released.
  @Test(.enabled(if: Host.residentMemory != nil, "the system does not report what is in memory"))
  func `a waiting thread occupies more memory than a waiting block or task`() async {
    await #expect(processExitsWith: .success) {
      let weights = try await ["async-waiting", "thread", "task"].asyncMap { variant in
        let weight = try await Self.attempt(variant).total("memory")
        return try #require(weight)
      }
      #expect(weights[1] >= 4096, "a thread uses at least one page of its stack: \(weights)")
      #expect(weights[0] < weights[1] && weights[2] < weights[1], "\(weights)")
    }
  }

  @Test func `objects exist while their memory is measured, and end afterwards`() async throws {
    let alive = Gauge()
    _ = try await Attempt(
      "thread", of: ThreadVsQueue(), files: Catalogue.files, ["repeats": .integer(1), "objects": .integer(100)]
    ) { trial in
      try ThreadVsQueue().measure(trial) { task in task.begins() }
      try ThreadVsQueue().weigh(trial) {
        alive.up()
        return Parked { arrived in
          arrived()
          return { alive.down() }
        }
      }
    }
    #expect(alive.peak == 101 && alive.now == 0)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = ThreadVsQueue()
    return [
      Red("all.not-once == 0", "thread-pool", of: pattern, ["repeats": .integer(3)]) { trial in
        try pattern.measure(trial) { task in
          task.begins()
          task.begins()
        }
      }
    ]
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var all: [T] = []
    for element in self { all.append(try await body(element)) }
    return all
  }
}
