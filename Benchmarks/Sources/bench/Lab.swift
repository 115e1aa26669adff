#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lab under test. Trials are requested with the protocol of the lab's workers.
struct Lab {
  let binary: String
  /// The program that starts the lab and measures the cost; see spawn_cost.c.
  let spawner: Program
  private let machine: Machine
  /// The names of the processor and the system.
  var place: String { [machine.cpu, "\(machine.os) \(machine.kernel)"].compactMap(\.self).joined(separator: ", ") }
  /// The number of cores that a trial may use now.
  var cores: Int { Cores.isOne ? 1 : machine.cores }
  /// The speed of calibrated work, which is the same for the lab and for C.
  var stepsPerMicrosecond: Double { machine.work.stepsPerMicrosecond }

  /// Creates the lab, and reads the properties of the machine from the output of `gcdlab machine`.
  init(binary: String, spawner: Program) throws {
    self.binary = binary
    self.spawner = spawner
    machine = try Machine(binary)
  }

  /// Runs a trial in a worker. Returns the median of each metric, the cost of the loop of a metric without an operation
  /// (`METRIC around nothing`), and the cost of the worker: `wall` (nanoseconds) and `peak-memory` (bytes). Parameters
  /// that `parameters` does not name have the default values of the pattern.
  func trial(_ pattern: String, _ variant: String, _ parameters: [String: Value]) throws -> [String: Double] {
    let request = Request(
      pattern: pattern, variant: variant, parameters: parameters, seed: 1, stepsPerMicrosecond: stepsPerMicrosecond,
      cores: cores)
    let line = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let output = try spawner.run(["1", line, binary, "worker"])
    let cost = Program.figures(output)
    // The report is the last line that a worker writes.
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

  /// Explores all variants of a scenario. Returns the number of orders of their steps that are executed per second
  /// (`orders`). Orders that are executed twice count twice.
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

  /// Measures the cost of a recorded sample again: two reads of the clock and one record. Returns the cost in
  /// nanoseconds.
  func floor() throws -> Double { try Machine(binary).floor }

  /// The output of `gcdlab machine --json`.
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

  /// The value of a parameter.
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

    /// Whether this is a report, and not another line that a worker writes before its report.
    var isReport: Bool { observation != nil || unavailable != nil || broken != nil }

    struct Observation: Decodable {
      let values: [String: [Double]]
      let histograms: [String: [[Double]]]
      let floors: [String: Double]?

      /// The median of each metric, and the cost of each metric's loop without an operation.
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
