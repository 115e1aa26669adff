import LabTesting
import Platform
import Testing

/// Tests of the costs that trials of real workers report, if the costs are known. The bounds are counts of sleeps,
/// threads and bytes, and processor time that a thread itself reports. The tests therefore do not depend on the speed
/// or the load of the machine.
@Suite struct CostTests {
  private static let scenario = """
    scenario: costs
    pattern: known-costs
    title: What known ways cost
    source: none
    tags: [test]
    lesson: None.
    claims:
      - {says: Two threads use the time of two., kind: guarantee, check: two-threads.processor-time >= 20ms}
      - {says: Set-up takes a second., kind: anomaly, check: set-up.processor-time >= 1s}
      - {says: A sleep is a voluntary switch., kind: guarantee, check: sleeper.voluntary-switches >= 150}
    """

  private static func run(_ arguments: [String]) async throws -> Binary.Finished {
    let file = try TemporaryFile("costs.yml", scenario)
    let command = [arguments[0], file.path] + arguments.dropFirst()
    return try await Binary.shell(
      "exec \"$(dirname \"$0\")/faults\" " + command.map { "'\($0)'" }.joined(separator: " "))
  }

  private static let document = Task {
    try JSONValue(try await run(["scenario", "--rounds", "2", "--format", "json"]).output)
  }

  /// Returns the smallest and the largest value of a metric in the trials of a variant.
  private func range(_ metric: String, _ variant: Int) async throws -> ClosedRange<Double> {
    let samples = try await Self.document.value[at: "runs.\(variant).metrics.\(metric)"]
    guard case .number(let low)? = samples?[at: "min"], case .number(let high)? = samples?[at: "max"] else {
      throw Unexpected(description: "no \(metric) of variant \(variant)")
    }
    return low...high
  }

  private struct Unexpected: Error { let description: String }

  /// The indices of the variants, in the order in which the pattern lists them.
  private let idle = 0
  private let twoThreads = 1
  private let setUp = 2
  private let sleeper = 3
  private let large = 4

  @Test func `the processor time is the total of all threads in the body`() async throws {
    #expect(try await range("processor-time", twoThreads).lowerBound >= 20e6)
    #expect(try await range("processor-time", idle).upperBound < 20e6)
    #expect(try await range("processor-time", setUp).lowerBound >= 110e6)
  }

  @Test func `the counts of switches, threads and memory match the known use of each variant`() async throws {
    #expect(try await range("voluntary-switches", sleeper).lowerBound >= 150)
    #expect(try await range("voluntary-switches", idle).upperBound < 50)
    // Their number depends on the load.
    _ = try await range("involuntary-switches", idle)
    // The body starts thirteen threads, in addition to the trial's thread and the main thread. They have ended when the
    // trial ends.
    #expect(try await range("peak-thread-count", twoThreads).lowerBound >= 15)
    #expect(try await range("peak-thread-count", idle).upperBound < 15)
    #expect(try await range("peak-memory", large).lowerBound >= Double(64 << 20))
    #expect(try await range("peak-memory", idle).upperBound < Double(64 << 20))
  }

  @Test func `a check on a cost can hold and can fail`() async throws {
    guard case .list(let claims)? = try await Self.document.value["claims"] else {
      throw Unexpected(description: "no claims")
    }
    let verdicts = claims.map { claim -> String in if case .text(let text)? = claim["verdict"] { text } else { "" } }
    #expect(verdicts[0] == "held" && verdicts[1] == "not-witnessed", "\(verdicts)")
    #expect(verdicts[2] == "held", "\(verdicts)")
  }

  @Test func `only the detailed report has a table of costs`() async throws {
    let file = try TemporaryFile("costs.json", try await Self.document.value.text())
    func report(_ arguments: String) async throws -> String {
      try await Binary.shell("exec \"$(dirname \"$0\")/faults\" report '\(file.path)' \(arguments)").output
    }
    let title = "resource use"
    let details = try await report("--details")
    #expect(details.contains(title) && details.contains("peak-memory") && details.contains("voluntary-switches"))
    let plain = try await report("")
    #expect(!plain.contains(title) && !plain.contains("peak-memory") && plain.contains("sleeps"))
    #expect(try await report("--format html").contains(title))
    #expect(try await !report("--format markdown").contains(title))
    #expect(try await report("--format csv").contains("two-threads,processor-time,ns,p50,"))
  }

  @Test func `a document without costs can be read, and its report has no costs`() async throws {
    var document = try await Self.document.value
    let costs = ["processor-time", "voluntary-switches", "involuntary-switches", "peak-thread-count", "peak-memory"]
    for run in 0..<5 { for cost in costs { document[at: "runs.\(run).metrics.\(cost)"] = nil } }
    guard case .list(let metrics)? = document[at: "scenario.metrics"] else {
      throw Unexpected(description: "no metrics")
    }
    document[at: "scenario.metrics"] = .list([metrics[0]])
    let file = try TemporaryFile("old.json", try document.text())
    let report = try await Binary.shell("exec \"$(dirname \"$0\")/faults\" report '\(file.path)' --details")
    // One of the claims is false.
    #expect(report.status == 1 && report.output.contains("sleeps"), "\(report)")
    #expect(!report.output.contains("resource use"))
  }

  @Test func `a comparison can rank its runs by a cost`() async throws {
    let compared = try await Self.run([
      "compare", "used=10ms,40ms", "--variant", "two-threads", "--metric", "processor-time", "--rounds", "3",
    ])
    #expect(compared.status == 0, "\(compared.errors)")
    #expect(compared.unwrapped.contains("Used 10 ms has the best mean so far."), "\(compared.output)")
    let unknown = try await Self.run(["compare", "used=1ms,2ms", "--metric", "processor-tim"])
    #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'processor-time'?"), "\(unknown.errors)")
  }
}
