import FoundationEssentials
import Measurement
import Patterns
import Platform
import Scenarios
import Subprocess
import Testing

@testable import Laboratory
@testable import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Bad input by the thousand: whatever comes in, what comes out is a value or an error with its place; never a trap, a
/// hang or a huge allocation.
///
/// Each target mutates its corpus (`Corpus/<target>`). A short run is part of every test run; `make fuzz` makes it
/// 100 000 inputs a target. When the process dies or hangs, `/tmp/gcdlab-fuzz-<target>-<process>` names the input, and
/// `GCDLAB_FUZZ_INPUT=<number>` (with the same `GCDLAB_FUZZ_SEED`) runs only that one; it belongs into the corpus then.
@Suite(.serialized) struct FuzzTests {
  enum Target: String, CaseIterable {
    case scenario, setting, sweep, check, report, request, document
  }

  private static let corpus = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Corpus"

  /// The files of a corpus; those named `.txt` have an input a line.
  private static func inputs(_ target: Target) throws -> [[UInt8]] {
    let directory = "\(corpus)/\(target.rawValue)"
    let names = try #require(namesInDirectory(directory)).sorted()
    return try names.flatMap { name -> [[UInt8]] in
      let bytes = try readBytes("\(directory)/\(name)")
      return name.hasSuffix(".txt") ? bytes.split(separator: UInt8(ascii: "\n")).map(Array.init) : [bytes]
    }
  }

  @Test(arguments: Target.allCases)
  func survives(_ target: Target) throws {
    func number(_ name: String) -> Int? { Terminal.environment(name).flatMap { Int($0) } }
    let seed = number("GCDLAB_FUZZ_SEED") ?? 20_261_121
    let mutator = Mutator(corpus: try Self.inputs(target), seed: UInt64(bitPattern: Int64(seed)))
    #expect(!mutator.corpus.isEmpty)
    let count = number("GCDLAB_FUZZ") ?? 300
    let only = number("GCDLAB_FUZZ_INPUT")
    let notePath = "/tmp/gcdlab-fuzz-\(target.rawValue)-\(getpid())"
    let note = open(notePath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer {
      close(note)
      unlink(notePath)
    }
    var refused = 0
    for index in only.map({ $0..<($0 + 1) }) ?? 0..<max(count, mutator.corpus.count) {
      let line = "seed \(seed), input \(index)          \n"
      _ = pwrite(note, line, line.utf8.count, 0)
      do { try Self.feed(target, mutator.input(index), index) } catch let error as InputError {
        refused += 1
        #expect(!error.description.isEmpty)
        if target == .scenario || target == .document {
          #expect(error.place.hasPrefix("input"), "input \(index): \(error)")
        }
      }
    }
    let status = readFile("/proc/self/status") ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
    let peak = (line.flatMap { Int($0[1]) } ?? 0) / 1024
    print("\(target.rawValue): \(count) inputs, \(refused) refused, peak \(peak) MB")
    // A small input must not take much: the test process itself has some 100 MB.
    #expect(peak < 1024)
  }

  private static func feed(_ target: Target, _ bytes: [UInt8], _ index: Int) throws {
    let patterns = Registry.patterns
    switch target {
    case .scenario:
      let experiment = try ScenarioFile(place: "input", patterns: patterns).experiment(from: bytes.text)
      _ = Explanation.render(experiment, TextStyle())
      _ = ScenarioList.render([experiment], on: machine, TextStyle())
      // What a file may ask for is limited too.
      #expect(experiment.sweep.reduce(1.0) { $0 * Double($1.values.count) } < 1e7)
    case .setting:
      _ = try stride.applying(Overrides(settings: [bytes.text], overhead: bytes.text.isEmpty ? nil : "1%"))
    case .sweep: _ = try stride.sweeping([try SweepParser(stride.pattern).sweep(bytes.text)])
    case .check: _ = try CheckParser.parse(bytes.text, pattern: stride.pattern, variants: stride.variants)
    case .report: try report(bytes, experiments[index % experiments.count])
    case .request:
      guard let request = try? JSONDecoder().decode(TrialRequest.self, from: Data(bytes)) else { return }
      let (pattern, trial) = try request.trial(patterns)
      for parameter in pattern.parameters where parameter.unit == .nanoseconds {
        _ = trial.work.steps(nanoseconds: trial.integer(parameter.name))
      }
    case .document:
      let documents = try ResultDocument.parse(bytes, place: "input")
      let page = HTMLReport.render(documents)
      let words = page.split { !$0.isLetter && $0 != "-" && $0 != "." && !$0.isNumber }
      // Names may hold anything; coordinates are ours.
      for word in words where word.hasPrefix("points") { #expect(word != "nan" && word != "inf") }
      _ = DiffReport(try ResultDiff(old: documents, new: documents, metrics: ["all"]), failAbove: 0.1).text(TextStyle())
    }
  }

  /// What a worker said, through everything that is done with it.
  private static func report(_ bytes: [UInt8], _ experiment: Experiment) throws {
    let (outcome, report) = WorkerProcess.outcome(.exited(0), bytes, bytes)
    let observation = report?.observation ?? Observation()
    var runs = Plan(experiment, budget: .quick, seed: 1).runs
    for index in runs.indices {
      runs[index].trials = (0..<2).map { TrialRecord(round: $0, outcome: outcome, observation: observation) }
    }
    var results = Results(
      experiment: experiment, machine: machine, seed: 1, started: "2026-11-21T00:00:00Z", runs: runs)
    results.judgements = Judge(results).judgements()
    results.findings = experiment.pattern.findings(in: results)
    results.warnings = results.cautions(within: .quick)
    _ = TerminalReport(TextStyle()).render(results)
    _ = MarkdownReport.render(results) + CSVReport.render([results]) + JUnitReport.render([results], strict: true)
    _ = PercentileReport.distributions([results])
    let json = try ResultDocument.json([results])
    _ = HTMLReport.render(try ResultDocument.parse(Array(json.utf8), place: "own document"))
  }

  private static let machine = Machine(
    os: "Linux", kernel: "6.1", cpu: nil, cores: 2, memory: nil, swift: "6.3", optimised: true, descriptorLimit: 1024,
    threadLimit: nil, clockRead: 20, floor: 45, work: CalibratedWork(stepsPerMicrosecond: 700))

  private static let library = ScenarioLibrary(embedded: EmbeddedScenarios.files, patterns: Registry.patterns)
  /// Small enough to render thousands of times: a variant or two of each.
  private static let experiments: [Experiment] = {
    let all = (try? library.all()) ?? []
    return all.map { experiment in
      var small = experiment
      small.variants = Array(experiment.variants.prefix(2))
      small.sweep = experiment.sweep.map { ($0.name, Array($0.values.prefix(2))) }
      return small
    }
  }()
  private static let stride: Experiment = {
    // swift-format-ignore: NeverUseForceTry
    try! library.experiment("apply-stride")
  }()
}
