import Laboratory
import Measurement

/// The results of all trials of a variant at a point.
struct RunFacts: Codable, Sendable {
  let variant: String
  /// The swept settings of the run, without parameters that the variant ignores.
  let point: [String: ParameterValue]
  /// The values of the parameters that the variant reads.
  let parameters: [String: ParameterValue]
  let rounds: Int
  /// The number of trials for each outcome.
  let outcomes: OutcomeCounts
  /// The number of trapped trials for each signal, by the number of the signal in decimal; nil if no trial trapped.
  let signals: [String: Int]?
  /// The requirement that the run's number of cores does not meet; nil if all requirements are met, or if trials are
  /// not confined to cores. A run with an obstacle is not tried.
  let obstacle: String?
  let metrics: [String: SampleFacts]

  init(_ run: VariantRun, _ pattern: PatternDescription, on machine: Machine) {
    variant = run.variant.name
    point = run.point.values
    parameters = run.parameters.filter { !run.variant.ignores.contains($0.key) }
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
          }, floor: run.floor(of: metric, on: machine), emptyLoop: run.emptyLoop(of: metric))
      }
    }
    self.metrics = samples
  }
}

/// The number of trials for each outcome, encoded as an object: `{"completed": 5, "hung": 1}`.
struct OutcomeCounts: Codable, Sendable {
  private var counts: [Outcome.Kind: Int]

  init(_ ends: [Outcome.Kind] = []) { counts = Dictionary(grouping: ends) { $0 }.mapValues(\.count) }

  /// The number of trials that ended in the way `kind`.
  subscript(kind: Outcome.Kind) -> Int { counts[kind] ?? 0 }

  /// The ways in which at least one trial ended, in the order of the cases.
  var kinds: [Outcome.Kind] { Outcome.Kind.allCases.filter { self[$0] > 0 } }

  /// The ways in which at least one trial ended without completing, in the order of the cases. The array includes the
  /// outcome of trials that the machine did not allow.
  var incompleteKinds: [Outcome.Kind] { kinds.filter { $0 != .completed } }

  /// Returns the number of trials whose outcome satisfies `isMeant`.
  func count(where isMeant: (Outcome.Kind) -> Bool) -> Int { kinds.filter(isMeant).reduce(0) { $0 + self[$1] } }

  /// Adds the counts of `others` to these counts.
  mutating func add(_ others: OutcomeCounts) { counts.merge(others.counts, uniquingKeysWith: +) }

  /// Creates the counts from a decoder.
  ///
  /// - Throws: `DecodingError` if a key is not the name of an outcome.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    counts = [:]
    for (name, count) in try container.decode([String: Int].self) {
      guard let kind = Outcome.Kind(rawValue: name) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(name)' is not an outcome")
      }
      counts[kind] = count
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
  }

  func validate(_ path: JSONPath) throws(InputError) {
    for kind in Outcome.Kind.allCases { try path[kind.rawValue].require(self[kind], in: 0...1_000_000) }
  }
}

/// The figure of a round: the median of the trial's latencies, the total of its counts, or the mean of its rates.
struct RoundFacts: Codable, Sendable {
  /// The number of the round, starting at 1. A round whose trial has no figure is absent.
  let round: Int
  let value: Number
}

/// All samples of a metric in a run.
struct SampleFacts: Codable, Sendable {
  let kind: Metric.Kind
  let unit: Unit
  let better: Metric.Better
  /// The noise floor in nanoseconds: the time of an empty operation; nil if the metric is not a duration.
  let floor: Number?
  /// The time of the metric's own empty timing loop, in nanoseconds per operation; nil if this time was not
  /// measured. This time replaces the noise floor.
  let emptyLoop: Number?
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

  private enum CodingKeys: String, CodingKey {
    case kind, unit, better, floor
    // Released versions of the lab write this name.
    case emptyLoop = "yardstick"
    case count, min, p50, p90, p99, p99_9, max, mean, stddev, total, rounds, histogram
  }

  init(_ measured: RunSamples, rounds: [RoundFacts], floor: Double?, emptyLoop: Double?) {
    self.floor = floor.map(Number.init)
    self.emptyLoop = emptyLoop.map(Number.init)
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

  /// The figures of the rounds, in the order of the rounds.
  var figures: [Double] { rounds.map(\.value.value) }

  /// The value of a statistic; nil if there are too few samples for the statistic.
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

extension SampleFacts {
  /// The figure of each round, with the number of the round.
  var roundFigures: [RoundFigure] { rounds.map { RoundFigure(round: $0.round, value: $0.value.value) } }
}

/// A value with the number of its samples, encoded as `[value, count]`.
struct HistogramPair: Codable, Sendable {
  let value: Number
  let count: Int

  private init(value: Number, count: Int) {
    self.value = value
    self.count = count
  }

  /// Returns pairs with equal values merged. Values are equal if their encoded forms are equal. `pairs` must be in
  /// ascending order of the values.
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

  /// The maximum count of a value. The counts of all trials are far below this limit.
  private static let mostCount = 1_000_000_000_000_000

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    // The values of histograms are the largest part of a document. Decoding a value as a `Number` would create a
    // decoder for each value.
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
