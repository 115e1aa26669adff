#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lab under test, spoken to in the protocol of its workers.
struct Lab {
  let binary: String
  /// Starts the lab's programs; see spawn_cost.c.
  let spawner: Program
  private let machine: Machine
  /// The processor and the system.
  var place: String { [machine.cpu, "\(machine.os) \(machine.kernel)"].compactMap(\.self).joined(separator: ", ") }
  /// How many cores a trial may use now.
  var cores: Int { Cores.isOne ? 1 : machine.cores }
  /// The speed of calibrated work, the same for the lab and for C.
  var stepsPerMicrosecond: Double { machine.work.stepsPerMicrosecond }

  /// Asks the lab about the machine.
  init(binary: String, spawner: Program) throws {
    self.binary = binary
    self.spawner = spawner
    machine = try Machine(binary)
  }

  /// Runs a trial in a worker and returns the median of each metric, what its loop takes around nothing (`METRIC around nothing`),
  /// and what the worker cost: `wall` (nanoseconds) and `peak-memory` (bytes). What `parameters` does not name has the pattern's default.
  func trial(_ pattern: String, _ variant: String, _ parameters: [String: Value]) throws -> [String: Double] {
    let request = Request(
      pattern: pattern, variant: variant, parameters: parameters, seed: 1, stepsPerMicrosecond: stepsPerMicrosecond,
      cores: cores)
    let line = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let output = try spawner.run(["1", line, binary, "worker"])
    let cost = Program.figures(output)
    // The report is the last thing that a worker says.
    let reports = output.split(separator: "\n").filter { $0.hasPrefix("{") }.compactMap {
      try? JSONDecoder().decode(Report.self, from: Data($0.utf8))
    }
    guard let report = reports.last(where: \.isReport) else {
      let status = Int(cost["status"] ?? -1)
      throw Failure(reason: "no report of \(pattern) \(variant): the worker ended with status \(status)")
    }
    if let reason = report.broken { throw Failure(reason: "\(pattern) \(variant) is broken: \(reason)") }
    if let reason = report.unavailable { throw Failure(reason: reason, isOfTheMachine: true) }
    return cost.merging((report.observation?.medians ?? [:])) { _, metric in metric }
  }

  /// Explores all variants of a scenario and returns how many orders of their steps it executes in a second (`orders`), with those that
  /// are executed twice.
  func exploration(_ arguments: String...) throws -> [String: Double] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("explored-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try Program(path: binary).run(["explore"] + arguments + ["--export", file.path])
    let results = try JSONDecoder().decode(Exploration.self, from: Data(contentsOf: file)).results
    let explored = results.filter { $0.executions != nil }
    let seconds = explored.reduce(0) { $0 + $1.seconds }
    guard seconds > 0 else { throw Failure(reason: "nothing of \(arguments.joined(separator: " ")) was explored") }
    return ["orders": Double(explored.reduce(0) { $0 + ($1.executions ?? 0) }) / seconds]
  }

  private struct Exploration: Decodable {
    struct Result: Decodable {
      let executions: Int?
      let seconds: Double
    }
    let results: [Result]
  }

  /// What a recorded sample costs, in nanoseconds: two clock reads and a record, measured anew.
  func floor() throws -> Double { try Machine(binary).floor }

  /// What `gcdlab machine --json` says.
  private struct Machine: Decodable {
    struct Work: Decodable { let stepsPerMicrosecond: Double }
    let cpu: String?
    let os, kernel: String
    let cores: Int
    let floor: Double
    let work: Work

    init(_ binary: String) throws {
      let json = try Program(path: binary).run(["machine", "--json"])
      self = try JSONDecoder().decode(Machine.self, from: Data(json.utf8))
    }
  }

  /// A parameter of a pattern.
  enum Value: Encodable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case number(Int)
    case word(String)

    init(integerLiteral number: Int) { self = .number(number) }
    init(stringLiteral word: String) { self = .word(word) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .word(let word): try container.encode(word)
      }
    }
  }

  private struct Request: Encodable {
    let pattern, variant: String
    let parameters: [String: Value]
    let seed: UInt64
    let stepsPerMicrosecond: Double
    let cores: Int
  }

  private struct Report: Decodable {
    let observation: Observation?
    let unavailable, broken: String?

    /// Whether it is one, and not what a worker says before.
    var isReport: Bool { observation != nil || unavailable != nil || broken != nil }

    struct Observation: Decodable {
      let values: [String: [Double]]
      let histograms: [String: [[Double]]]
      let floors: [String: Double]?

      /// The median of each metric.
      var medians: [String: Double] {
        let floors = (floors ?? [:]).map { ("\($0.key) around nothing", $0.value) }
        return values.compactMapValues(\.median).merging(histograms.compactMapValues(Self.median)) { $1 }
          .merging(floors) { $1 }
      }

      private static func median(_ pairs: [[Double]]) -> Double? {
        let half = pairs.reduce(0) { $0 + $1[1] } / 2
        var seen = 0.0
        return pairs.first { pair in
          seen += pair[1]
          return seen >= half
        }?[0]
      }
    }
  }
}
