import FoundationEssentials
import Laboratory
import Measurement

/// The result document, schema `gcdlab.result/1`: what `--format json` prints and `--export x.json` writes, and what
/// `diff` and `report` read. The schema itself is `gcdlab.result-1.schema.json` beside this file.
///
/// Durations are in nanoseconds, whole where they came from the clock. What was not measured is not there.
public struct ResultDocument: Codable, Sendable {
  /// The version of this format.
  public static let schema = "gcdlab.result/1"

  let schema: String
  let tool: ToolFacts
  let machine: Machine
  let started: String
  let seconds: Double
  let seed: UInt64
  let scenario: ScenarioFacts
  let interrupted: Bool?
  let warnings: [String]
  let findings: [String]
  let runs: [RunFacts]
  let claims: [ClaimFacts]

  /// The document of some results.
  public init(_ results: Results) {
    schema = Self.schema
    tool = ToolFacts(name: Tool.name, version: Tool.version)
    machine = results.machine
    started = results.started
    seconds = (results.seconds * 1000).rounded() / 1000
    seed = results.seed
    scenario = ScenarioFacts(results.experiment)
    interrupted = results.cut == nil ? nil : true
    warnings = results.warnings.map(\.says)
    findings = results.findings.map(\.says)
    runs = results.runs.map { RunFacts($0, results.experiment.pattern, on: results.machine) }
    claims = results.judgements.map(ClaimFacts.init)
  }

  /// The JSON of one result document, or of an array of them when there are several.
  ///
  /// - Throws: `EncodingError`, which no measured result can cause: figures are finite.
  public static func json(_ results: [Results]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let documents = results.map(ResultDocument.init)
    let data = documents.count == 1 ? try encoder.encode(documents[0]) : try encoder.encode(documents)
    return compacted(String(decoding: data, as: UTF8.self)) + "\n"
  }

  /// Histograms and other lists of numbers on one line each: a pair of numbers needs no four lines.
  private static func compacted(_ json: String) -> String {
    var lines: [Substring] = []
    var list: String?
    for line in json.split(separator: "\n") {
      let content = line.drop { $0 == " " }
      let isNumber = content.first.map { $0.isNumber || $0 == "-" } ?? false
      if let open = list {
        if isNumber {
          list = open + (open.hasSuffix("[") ? "" : " ") + content
        } else if content.hasPrefix("]") {
          lines.append(Substring(open + content))
          list = nil
        } else {
          lines += [Substring(open), line]
          list = content.hasSuffix("[") ? String(lines.removeLast()) : nil
        }
      } else if content.hasSuffix("[") {
        list = String(line)
      } else {
        lines.append(line)
      }
    }
    if let list { lines.append(Substring(list)) }
    return lines.joined(separator: "\n")
  }

  struct ToolFacts: Codable {
    let name: String
    let version: String
  }

  struct ScenarioFacts: Codable {
    struct VariantFacts: Codable {
      let name: String
      let role: String
      let says: String
    }
    let name: String
    let title: String
    let source: String
    /// The variants, in order.
    let variants: [VariantFacts]
    /// The swept parameters, in order.
    let sweep: [String]
    /// The variant that ratios refer to.
    let baseline: String?
    /// Whether the question was which setting is best (`compare`); then ratios without a baseline refer to that.
    let seeksBest: Bool?
    /// The metrics to show, the headline first.
    let show: [String]
    /// What each metric is, in a sentence.
    let metrics: [String: String]
    /// The unit of each parameter that has one.
    let units: [String: Unit]

    init(_ experiment: Experiment) {
      let pattern = experiment.pattern
      name = experiment.name
      title = experiment.title
      source = experiment.source
      variants = experiment.variants.map { VariantFacts(name: $0.name, role: $0.role.rawValue, says: $0.summary) }
      sweep = experiment.sweep.map(\.name)
      baseline = experiment.baseline
      seeksBest = experiment.seeksBest ? true : nil
      show = experiment.show
      metrics = Dictionary(pattern.metrics.map { ($0.name, $0.summary) }, uniquingKeysWith: { first, _ in first })
      units = Dictionary(
        pattern.parameters.filter { $0.unit != .none }.map { ($0.name, $0.unit) },
        uniquingKeysWith: { first, _ in first })
    }
  }

  struct RunFacts: Codable {
    let variant: String
    let point: [String: ParameterValue]
    let parameters: [String: ParameterValue]
    let rounds: Int
    let outcomes: [String: Int]
    let metrics: [String: MetricFacts]

    init(_ run: Run, _ pattern: any Pattern, on machine: Machine) {
      variant = run.variant.name
      point = Dictionary(uniqueKeysWithValues: run.point.settings.map { ($0.name, $0.value) })
      parameters = run.parameters
      rounds = run.trials.count
      outcomes = Dictionary(grouping: run.trials) { $0.outcome.name }.mapValues(\.count)
      var metrics: [String: MetricFacts] = [:]
      for metric in pattern.metrics {
        metrics[metric.name] = run.measured(metric).map {
          MetricFacts($0, floor: run.floor(of: metric, on: machine))
        }
      }
      self.metrics = metrics
    }
  }

  struct MetricFacts: Codable {
    let kind: Metric.Kind
    let unit: Unit
    let better: Metric.Better
    /// What timing nothing would give, for what is timed.
    let floor: Number?
    let count: Int
    let min: Number
    let p50: Number
    let p90: Number?
    let p99: Number?
    let p99_9: Number?
    let max: Number
    let mean: Number
    let stddev: Number?
    let total: Number
    let rounds: [Number]
    let histogram: [[Number]]

    /// Whether one of its values is so near to the noise floor that it says little.
    func isNearFloor(_ value: Number) -> Bool { floor.map { NoiseFloor.isNear(value.value, floor: $0.value) } ?? false }

    init(_ measured: Measured, floor: Double?) {
      self.floor = floor.map(Number.init)
      kind = measured.metric.kind
      unit = measured.metric.unit
      better = measured.metric.better
      let summary = measured.summary
      count = summary.count
      min = Number(summary.min)
      p50 = Number(summary.p50)
      p90 = summary.p90.map(Number.init)
      p99 = summary.p99.map(Number.init)
      p99_9 = summary.p999.map(Number.init)
      max = Number(summary.max)
      mean = Number(summary.mean)
      stddev = summary.stddev.map(Number.init)
      total = Number(summary.total)
      rounds = measured.rounds.map(Number.init)
      histogram = measured.thinnedPairs.map { [Number($0.value), Number(Double($0.count))] }
    }
  }

  struct ClaimFacts: Codable {
    struct EvidenceFacts: Codable {
      let left: Number?
      let right: Number?
      let unit: Unit
      let ratio: Number?
      let low: Number?
      let high: Number?
      let trials: Int
      let met: Int
      let reason: String?
    }
    let says: String
    let kind: Claim.Kind
    let check: String
    let verdict: Verdict
    let evidence: EvidenceFacts

    init(_ judgement: Judgement) {
      says = judgement.claim.says
      kind = judgement.claim.kind
      check = judgement.claim.check.text
      verdict = judgement.verdict
      let found = judgement.evidence
      evidence = EvidenceFacts(
        left: found.left.map(Number.init), right: found.right.map(Number.init), unit: found.unit,
        ratio: found.ratio.map { Number($0.estimate) }, low: found.ratio.map { Number($0.low) },
        high: found.ratio.map { Number($0.high) }, trials: found.trials, met: found.met, reason: found.reason)
    }
  }

  /// A number that is written whole when it is, and with six significant digits when it is not.
  struct Number: Codable {
    let value: Double

    init(_ value: Double) { self.value = value }

    /// Beyond what any clock or counter gives, and far enough from the ends of a double to reckon with.
    static let allowed = -1e36...1e36

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      value = try container.decode(Double.self)
      guard Self.allowed.contains(value) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "found \(value), allowed is -1e36 to 1e36")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(rounded) }
    }

    private var rounded: Double {
      var scale = 1.0
      while abs(value) * scale < 100_000, scale < 1e12 { scale *= 10 }
      return (value * scale).rounded() / scale
    }
  }
}

extension Measured {
  /// The pairs for a document: as recorded up to 128 of them, else merged into that many equal steps of the logarithm,
  /// each at its smallest value; percentiles in the document are of all samples.
  var thinnedPairs: [(value: Double, count: Int)] {
    let most = 128
    guard pairs.count > most, let low = pairs.first(where: { $0.value > 0 })?.value, let high = pairs.last?.value,
      high > low
    else { return pairs }
    var merged: [(value: Double, count: Int)] = []
    var last = -1
    for (value, count) in pairs {
      let step = value <= low ? 0 : Int(Double(most - 1) * LogScale.position(value, low: low, high: high))
      if step == last {
        merged[merged.count - 1].count += count
      } else {
        merged.append((value, count))
        last = step
      }
    }
    return merged
  }
}
