import Laboratory
import Measurement

/// All trials of a variant at a point.
struct RunFacts: Codable, Sendable {
  let variant: String
  /// The swept settings that the variant heeds.
  let point: [String: ParameterValue]
  let parameters: [String: ParameterValue]
  let rounds: Int
  /// How many trials ended in which way.
  let outcomes: OutcomeCounts
  /// How many of those that trapped did so by which signal.
  let signals: [String: Int]?
  /// What the run needs and cannot have at its number of cores, so that it was not tried; nil when it has all, and
  /// where it is not confined.
  let obstacle: String?
  let metrics: [String: SampleFacts]

  init(_ run: Run, _ pattern: PatternDescription, on machine: Machine) {
    variant = run.variant.name
    point = Dictionary(run.point.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    parameters = run.parameters
    rounds = run.trials.count
    outcomes = OutcomeCounts(run.trials.map(\.outcome.kind))
    let trapped = run.trials.compactMap { if case .trapped(let signal) = $0.outcome { "\(signal)" } else { nil } }
    signals = trapped.isEmpty ? nil : Dictionary(grouping: trapped) { $0 }.mapValues(\.count)
    obstacle = run.cores.flatMap { _ in pattern.obstacle(to: run, on: machine) }
    var samples: [String: SampleFacts] = [:]
    for metric in pattern.metrics + Metric.costs {
      samples[metric.name] = run.measured(metric).map { measured in
        SampleFacts(
          measured,
          rounds: run.trials.compactMap { trial in
            trial.figure(metric).map { RoundFacts(round: trial.round + 1, value: Number($0)) }
          }, floor: run.floor(of: metric, on: machine), yardstick: run.yardstick(of: metric))
      }
    }
    self.metrics = samples
  }
}

/// How many trials ended in which way, written as an object: `{"completed": 5, "hung": 1}`.
struct OutcomeCounts: Codable, Sendable {
  private var counts: [Outcome.Kind: Int]

  init(_ ends: [Outcome.Kind] = []) { counts = Dictionary(grouping: ends) { $0 }.mapValues(\.count) }

  /// How many ended in this way.
  subscript(kind: Outcome.Kind) -> Int { counts[kind] ?? 0 }

  /// The ways that there are, in the order of their cases.
  var kinds: [Outcome.Kind] { Outcome.Kind.allCases.filter { self[$0] > 0 } }

  /// How many ended in a way that `isMeant`.
  func count(where isMeant: (Outcome.Kind) -> Bool) -> Int { kinds.filter(isMeant).reduce(0) { $0 + self[$1] } }

  /// These and `others`.
  mutating func add(_ others: OutcomeCounts) { counts.merge(others.counts, uniquingKeysWith: +) }

  /// - Throws: `DecodingError` for a name that is no way to end.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    counts = [:]
    for (name, count) in try container.decode([String: Int].self) {
      guard let kind = Outcome.Kind(rawValue: name) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is no end of a trial")
      }
      counts[kind] = count
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
  }

  func validate(_ place: DocumentPlace) throws(InputError) {
    for kind in Outcome.Kind.allCases { try place[kind.rawValue].require(self[kind], in: 0...1_000_000) }
  }
}

/// The figure of a round: the median of a trial's latencies, the total of its counts, the mean of its rates.
struct RoundFacts: Codable, Sendable {
  /// From 1. A round whose trial has no figure is not there.
  let round: Int
  let value: Number
}

/// All samples of a metric in a run.
struct SampleFacts: Codable, Sendable {
  let kind: Metric.Kind
  let unit: Unit
  let better: Metric.Better
  /// What timing nothing would give, for what is timed.
  let floor: Number?
  /// What the very loop that timed it takes around nothing, where that was tried: then it is the floor.
  let yardstick: Number?
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
  let rounds: [RoundFacts]
  let histogram: [HistogramPair]

  init(_ measured: Measured, rounds: [RoundFacts], floor: Double?, yardstick: Double?) {
    self.floor = floor.map(Number.init)
    self.yardstick = yardstick.map(Number.init)
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
    self.rounds = rounds
    histogram = HistogramPair.merged(measured.pairs)
  }

  /// The figures of its rounds, in order.
  var figures: [Double] { rounds.map(\.value.value) }

  /// A statistic by its name; nil when the samples are too few to have it.
  subscript(statistic: Statistic) -> Double? {
    switch statistic {
    case .min: min.value
    case .p50: p50.value
    case .p90: p90?.value
    case .p99: p99?.value
    case .p999: p99_9?.value
    case .max: max.value
    case .mean: mean.value
    case .total: total.value
    }
  }
}

/// A value and how often it was seen, written as `[value, count]`.
struct HistogramPair: Codable, Sendable {
  let value: Number
  let count: Int

  private init(value: Number, count: Int) {
    self.value = value
    self.count = count
  }

  /// Every pair as recorded; values that the document cannot tell apart are one.
  static func merged(_ pairs: [(value: Double, count: Int)]) -> [HistogramPair] {
    var merged: [HistogramPair] = []
    merged.reserveCapacity(pairs.count)
    for pair in pairs {
      let value = Number(pair.value)
      if let last = merged.last, last.value == value {
        merged[merged.count - 1] = HistogramPair(value: value, count: last.count + pair.count)
      } else {
        merged.append(HistogramPair(value: value, count: pair.count))
      }
    }
    return merged
  }

  /// More than a trial may count, and few enough that the counts of a document can be added.
  private static let mostCount = 1_000_000_000_000_000

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    // Not as a `Number`: these are most of a document, and each would get a decoder of its own.
    let value = try container.decode(Double.self)
    count = try container.decode(Int.self)
    self.value = Number(value)
    guard container.isAtEnd, Number.allowed.contains(value), (1...Self.mostCount).contains(count) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a pair of a value and a count of 1 or more")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(value)
    try container.encode(count)
  }
}
