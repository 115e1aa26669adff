import LabTesting
import FoundationEssentials
import Measurement
import Patterns
import Platform
import Subprocess
import Testing

@testable import Laboratory
@testable import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that thousands of bad inputs result in a value or in an error with its place, and never in a trap, a hang or a
/// huge allocation.
///
/// Each target mutates its corpus (`Tests/Corpus/<target>`). A short run is part of every test run. `make fuzz` runs
/// 100 000 inputs for each target. If the process dies or hangs, `.build/fuzz-<target>` contains the number of the
/// input, and `GCDLAB_FUZZ_INPUT=<number>` with the same `GCDLAB_FUZZ_SEED` runs only this input. Such an input is then
/// added to the corpus.
@Suite(.serialized) struct FuzzTests {
  enum Target: String, CaseIterable {
    case scenario, setting, sweep, check, report, request, document
  }

  private static let corpus = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Corpus"

  /// Returns the inputs of a corpus. A file with the extension `.txt` contains one input in each line.
  private static func inputs(_ target: Target) throws -> [[UInt8]] {
    let directory = "\(corpus)/\(target.rawValue)"
    let names = try #require(namesInDirectory(directory)).sorted()
    return try names.flatMap { name -> [[UInt8]] in
      let bytes = try readBytes("\(directory)/\(name)", atMost: 1 << 26)
      return name.hasSuffix(".txt") ? bytes.split(separator: UInt8(ascii: "\n")).map(Array.init) : [bytes]
    }
  }

  /// The results of a run over many inputs.
  private struct Findings: Sendable {
    var inputs = 0
    var refused = 0
    /// The wrong results, each with the number of its input.
    var wrong: [String] = []
    /// The growth of the process's peak memory since the run began, in MB.
    var growth = 0
  }

  /// An error that describes a wrong result.
  private struct Wrong: Error { let description: String }

  @Test(arguments: Target.allCases)
  func `any input results in a value or an error`(_ target: Target) async throws {
    // The loop runs on a thread of its own: the other tests need the two threads that Swift concurrency has on two
    // cores.
    let findings = try await withCheckedThrowingContinuation { done in
      do { try SystemThread { done.resume(with: Result { try Self.feedAll(target) }) }.detach() } catch {
        done.resume(throwing: error)
      }
    }
    #expect(findings.wrong == [])
    // Mutations that nothing refuses would not test the errors, and mutations that are all refused would not test the
    // code behind the readers. A worker's output and a request are read without errors of their own.
    let isSingle = Terminal.environment("GCDLAB_FUZZ_INPUT") != nil
    if !isSingle, ![.report, .request].contains(target) {
      #expect(0 < findings.refused && findings.refused < findings.inputs, "\(findings.refused)")
    }
    // A small input must not use much memory. The bound is loose, since other tests share the process.
    #expect(findings.growth < 1024)
  }

  private static func feedAll(_ target: Target) throws -> Findings {
    func number(_ name: String) -> Int? { Terminal.environment(name).flatMap { Int($0) } }
    let seed = number("GCDLAB_FUZZ_SEED") ?? 20_261_121
    let mutator = Mutator(corpus: try inputs(target), seed: UInt64(bitPattern: Int64(seed)))
    let count = number("GCDLAB_FUZZ") ?? 300
    // The directory of the test run does not outlive the process.
    let notePath = "\(corpus)/../../.build/fuzz-\(target.rawValue)"
    let note = open(notePath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer {
      close(note)
      unlink(notePath)
    }
    let before = peakMemory
    var findings = Findings()
    for index in number("GCDLAB_FUZZ_INPUT").map({ $0..<($0 + 1) }) ?? 0..<max(count, mutator.corpus.count) {
      findings.inputs += 1
      let line = "seed \(seed), input \(index)          \n"
      _ = pwrite(note, line, line.utf8.count, 0)
      do { try feed(target, mutator.input(index), index) } catch let error as InputError {
        findings.refused += 1
        let mustHavePlace = target == .scenario || target == .document
        if error.description.isEmpty || mustHavePlace && !error.place.hasPrefix("input") {
          findings.wrong.append("input \(index): an error without its place: \(error)")
        }
      } catch let wrong as Wrong { findings.wrong.append("input \(index): \(wrong.description)") }
    }
    findings.growth = peakMemory - before
    print("\(target.rawValue): \(count) inputs, \(findings.refused) refused, peak \(peakMemory) MB")
    return findings
  }

  /// The peak memory of this process, in MB; 0 if the system does not report it.
  private static var peakMemory: Int {
    let status = readFile("/proc/self/status") ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
    return (line.flatMap { Int($0[1]) } ?? 0) / 1024
  }

  private static func feed(_ target: Target, _ bytes: [UInt8], _ index: Int) throws {
    let patterns = Catalogue.patterns
    switch target {
    case .scenario:
      let experiment = try ScenarioReader(place: "input", patterns: patterns).experiment(from: bytes.text)
      _ = Explanation.render(experiment, TextStyle())
      _ = ScenarioList.render([ScenarioOutline(experiment)], on: machine, beginWith: experiment.name, TextStyle())
      // The number of cells that a file may request is limited, too.
      let cells = experiment.sweep.reduce(1.0) { $0 * Double($1.values.count) }
      if cells >= 1e7 { throw Wrong(description: "a sweep of \(cells) cells") }
    case .setting:
      _ = try stride.applying(Overrides(settings: [bytes.text]))
    case .sweep: _ = try stride.sweeping([try SweepParser(stride.pattern).sweep(bytes.text)])
    case .check: _ = try CheckParser.parse(bytes.text, pattern: stride.pattern, variants: stride.variants)
    case .report: try report(bytes, experiments[index % experiments.count])
    case .request:
      guard let request = try? JSONDecoder().decode(TrialRequest.self, from: Data(bytes)) else { return }
      let (_, trial) = try request.trial(patterns)
      for pattern in patterns where type(of: pattern).name == request.pattern {
        for parameter in try PatternDescription(pattern).parameters {
          guard let value = request.parameters[parameter.name], parameter.allows(value) else { continue }
          if case .integer(let number) = value { _ = trial.work.steps(nanoseconds: number) }
        }
      }
    case .document:
      let documents = try ResultDocument.parse(bytes, place: "input")
      let contents = documents.map { ReportContent($0) }
      try renderAll(contents)
      let diff = try ResultDiff(old: documents, new: documents, metrics: ["all"])
      _ = DiffReport(diff, judgement: DiffJudgement(diff, failAbove: 0.1)).text(TextStyle())
    }
  }

  /// Returns the first coordinate of a drawing that is not a list of numbers; nil if all are. Names may contain any
  /// text, but the lab itself writes the coordinates.
  static func badCoordinate(_ page: String) -> Substring? {
    let parts = page.split(separator: "\"", omittingEmptySubsequences: false)
    let names = [" points=", " cx=", " cy=", " x=", " y=", " x1=", " x2=", " y1=", " y2=", " width=", " height="]
    return zip(parts, parts.dropFirst()).first { before, value in
      names.contains { before.hasSuffix($0) } && !value.utf8.allSatisfy { "0123456789.,% -".utf8.contains($0) }
    }?.1
  }

  @Test func `a coordinate of a drawing that is not a number is detected`() {
    #expect(Self.badCoordinate("<p title=\"nan\"/><polyline points=\"1,2 3.5,-4\"/>") == nil)
    #expect(Self.badCoordinate("<polyline points=\"1,2 nan,4\"/>") == "1,2 nan,4")
    #expect(Self.badCoordinate("<circle r=\"4\" cx=\"inf\" cy=\"2\"/>") == "inf")
  }

  /// Passes the output of a worker to all code that reads it.
  private static func report(_ bytes: [UInt8], _ experiment: Experiment) throws {
    let (outcome, report) = WorkerProcess.outcome(.exited(0), bytes, bytes)
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      runs[index].trials = (0..<2).map { round in
        report.map { TrialRecord(of: runs[index].variant, round: round, $0) }
          ?? TrialRecord(round: round, outcome: outcome)
      }
    }
    var results = Results(
      experiment: experiment, machine: machine, seed: 1, started: "2026-11-21T00:00:00Z", runs: runs)
    results.judgements = Judge(results).judgements()
    results.findings = experiment.pattern.findings(in: results)
    results.warnings = results.warnings(within: .quick)
    let json = try JSONReport.render([ResultDocument(results)])
    try renderAll(ResultDocument.parse(Array(json.utf8), place: "own document").map { ReportContent($0) })
  }

  /// Renders the documents in every format.
  private static func renderAll(_ contents: [ReportContent]) throws {
    _ = TerminalReport(TextStyle()).render(contents)
    let input = ReportInput(contents, strict: true)
    for format in ReportInput.formats {
      switch format.rendering {
      case .files(let render): _ = try render(input)
      case .text(let render):
        let text = try render(input)
        guard text.hasPrefix("<!doctype html>"), let bad = badCoordinate(text) else { continue }
        throw Wrong(description: "a coordinate '\(bad)'")
      }
    }
  }

  private static let machine = Machine(
    os: "Linux", kernel: "6.1", cpu: nil, cores: 2, memory: nil, swift: "6.3", optimised: true, descriptorLimit: 1024,
    threadLimit: nil, clockRead: 20, floor: 45, work: CalibratedWork(stepsPerMicrosecond: 700))

  private static let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)
  /// Experiments that are small enough to be rendered thousands of times: each has only a variant or two.
  private static let experiments: [Experiment] = {
    let all = (try? library.all()) ?? []
    return all.map { experiment in
      var small = experiment
      small.variants = Array(experiment.variants.prefix(2))
      small.sweep = experiment.sweep.map { Sweep($0.name, Array($0.values.prefix(2))) }
      return small
    }
  }()
  private static let stride: Experiment = {
    // swift-format-ignore: NeverUseForceTry
    try! library.experiment("apply-stride")
  }()
}
