import Laboratory
import Measurement

/// Validation of the invariants of result documents, beyond the types and the schema. A document that violates an
/// invariant was written or changed by another program. The error contains the path of the invalid value.
///
/// - Machine and run: There is at least one core. No limit, duration or cost is negative. The start is a time in UTC.
/// - Scenario: Names are unique. The names in `sweep`, `problem`, `baseline` and `show` are those of existing
///   parameters, variants and metrics.
/// - Runs: A variant has one run at a point. The point belongs to the sweep and agrees with the parameters. There are
///   as many outcomes as rounds.
/// - Metrics: Each metric agrees with its description in the scenario. The figures of a metric agree with the metric's
///   histogram. A round has at most one figure, and only completed trials have figures, except for the time to the end
///   of a hazard.
/// - Claims: The verdict is possible for the kind of the claim, and agrees with the number of trials and the number of
///   trials that met the check.
/// - Traces: The lanes, queues and variants that a trace refers to exist. Nothing ends before it begins, or after the
///   end of the record. Neither the runs nor the waits of a lane overlap. Blocks are in the order of submission.
extension ResultDocument {
  /// Returns whether a text is a time in UTC to the second, `2026-11-23T01:02:03Z`. The function uses no regular
  /// expression, since compiling a regular expression takes as long as reading the document.
  private static func isTime(_ text: String) -> Bool {
    text.utf8.count == 20
      && zip(text.utf8, "0000-00-00T00:00:00Z".utf8).allSatisfy { found, wanted in
        wanted == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(found) : found == wanted
      }
  }

  func validate() throws(InputError) {
    let root = JSONPath()
    try root["seconds"].require(seconds, in: JSONPath.anyAmount)
    try machine.validate(root["machine"])
    try root["started"].require(
      Self.isTime(started), "found '\(started)', expected a time in UTC")
    try scenario.validate(root["scenario"])
    let (variants, metrics) = (
      Set(scenario.variants.map(\.name)),
      Dictionary(firstOf: scenario.metrics.map { ($0.name, $0) })
    )
    let swept = Dictionary(firstOf: scenario.parameters.map { ($0.name, Set($0.swept ?? [])) }).filter {
      scenario.sweep.contains($0.key)
    }
    var seen: Set<RunIndex.RunKey> = []
    for (index, run) in runs.enumerated() {
      let path = root["runs"][index]
      try path["variant"].require(variants.contains(run.variant), "'\(run.variant)' is not a variant of the scenario")
      try path.require(
        seen.insert(RunIndex.RunKey(variant: run.variant, point: run.point)).inserted,
        "the variant has another run at this point")
      for (name, value) in run.point.sorted(by: { $0.key < $1.key }) {
        guard let values = swept[name] else { throw path["point"].error("'\(name)' is not swept") }
        try path["point"][name].require(values.contains(value), "not one of the swept values")
        try path["parameters"][name].require(
          run.parameters[name] == value, "differs from the value of the point")
      }
      try run.validate(path, metrics)
    }
    for (index, claim) in claims.enumerated() { try claim.validate(root["claims"][index]) }
    for (index, trace) in (traces ?? []).enumerated() { try trace.validate(root["traces"][index], variants) }
  }
}

extension Machine {
  fileprivate func validate(_ path: JSONPath) throws(InputError) {
    try path["cores"].require(cores, in: 1...1_000_000)
    if let confinedTo {
      let path = path["confinedTo"]
      try path.require(
        (1...cores).contains(confinedTo.count), "found \(confinedTo.count) cores, expected 1 to \(cores)")
      try path.require(Set(confinedTo).count == confinedTo.count, "a core appears twice")
      for core in confinedTo { try path.require(core, in: 0...1_000_000) }
    }
    try path["memory"].require(memory ?? 0, in: 0...Int.max)
    try path["descriptorLimit"].require(descriptorLimit, in: 0...Int.max)
    try path["threadLimit"].require(threadLimit ?? 0, in: 0...Int.max)
    try path["clockRead"].require(clockRead, in: JSONPath.anyAmount)
    try path["floor"].require(floor, in: JSONPath.anyAmount)
    try path["work.stepsPerMicrosecond"].require(work.stepsPerMicrosecond, in: JSONPath.anyAmount)
  }
}

extension ScenarioFacts {
  fileprivate func validate(_ path: JSONPath) throws(InputError) {
    let names = variants.map(\.name)
    try path["variants"].requireUnique(names)
    for (index, variant) in variants.enumerated() {
      try path["variants"][index]["role"].require(
        Variant.Role(rawValue: variant.role) != nil, "found '\(variant.role)', which is not a role")
      try path["variants"][index]["ends"].require(
        variant.ends.map(Ending.names.contains) ?? true, "found '\(variant.ends ?? "")', which is not an end")
    }
    try path["parameters"].requireUnique(parameters.map(\.name))
    try path["metrics"].requireUnique(metrics.map(\.name))
    let swept = parameters.filter { $0.swept?.isEmpty == false }
    for parameter in swept {
      let values = parameter.swept ?? []
      try path["parameters"][parameter.name].require(
        Set(values).count == values.count, "a swept value appears twice")
    }
    try path["sweep"].require(sweep, among: swept.map(\.name), "swept parameter")
    try path["problem"].require(problem ?? [], among: sweep, "swept parameter")
    try path["show"].require(show, among: metrics.map(\.name), "metric")
    try path["baseline"].require([baseline].compactMap(\.self), among: names, "variant")
  }
}

extension RunFacts {
  fileprivate func validate(_ path: JSONPath, _ known: [String: MetricFacts]) throws(InputError) {
    try path["rounds"].require(rounds, in: 0...1_000_000)
    try outcomes.validate(path["outcomes"])
    let ended = outcomes.count { _ in true }
    try path["outcomes"].require(ended == rounds, "found \(ended) trials, expected one for each of \(rounds) rounds")
    for (signal, count) in (signals ?? [:]).sorted(by: { $0.key < $1.key }) {
      try path["signals"].require(Int(signal) != nil, "'\(signal)' is not the number of a signal")
      try path["signals"][signal].require(count, in: 1...1_000_000)
    }
    let trapped = outcomes[.trapped]
    let signalled = (signals ?? [:]).values.reduce(0, +)
    try path["signals"].require(signalled == trapped, "found \(signalled), but \(trapped) trials trapped")
    for (name, samples) in metrics.sorted(by: { $0.key < $1.key }) {
      let path = path["metrics"][name]
      guard let metric = known[name] else { throw path.error("the scenario has no such metric") }
      try path.require(
        samples.kind == metric.kind && samples.unit == metric.unit && samples.better == metric.better,
        "the kind, the unit or the better direction differs from scenario.metrics")
      // A trial of a hazard has a figure for the time to its end although the trial does not complete.
      let most = name == Metric.timeToEnd.name ? rounds : outcomes[.completed]
      try path.require(
        samples.rounds.count <= most, "found \(samples.rounds.count) rounds, but \(most) trials can have a figure")
      try samples.validate(path)
    }
  }
}

extension SampleFacts {
  /// Verifies the invariants of a metric's samples.
  ///
  /// - Throws: ``InputError`` if an invariant is violated.
  fileprivate func validate(_ path: JSONPath) throws(InputError) {
    guard let first = histogram.first, let last = histogram.last else {
      throw path["histogram"].error("is empty")
    }
    try path["floor"].require(floor?.value ?? 0, in: JSONPath.anyAmount)
    try path["min"].require(min.value >= 0, "found \(min.value), expected 0 or more")
    // Each count is limited, but the sum of many counts could overflow.
    var (previous, counted, sum) = (-1.0, 0.0, 0.0)
    for pair in histogram {
      try path["histogram"].require(pair.value.value > previous, "the values do not ascend")
      previous = pair.value.value
      counted += Double(pair.count)
      sum += previous * Double(pair.count)
    }
    try path["histogram"].require(counted <= 1e18, "found \(counted) samples, expected at most 1e18")
    try path["count"].require(
      count == histogram.reduce(0) { $0 + $1.count }, "found \(count), but the histogram has \(Int(counted)) samples")
    try path["min"].require(min == first.value, "found \(min.value), but the histogram begins at \(first.value.value)")
    try path["max"].require(max == last.value, "found \(max.value), but the histogram ends at \(last.value.value)")
    try path["total"].require(
      isAbout(total.value, sum), "found \(total.value), but the sum of the histogram is \(sum)")
    try path["mean"].require(
      isAbout(mean.value * Double(count), sum),
      "found \(mean.value), but the mean of the histogram is \(sum / Double(count))")
    try path["stddev"].require(stddev?.value ?? 0 >= 0, "is negative")
    try path["stddev"].require(
      (stddev != nil) == (count > 1), "expected if and only if there are 2 samples or more, found \(count)")
    var lower = min.value
    for statistic in [Statistic.p50, .p90, .p99, .p999] {
      let path = path[statistic == .p999 ? "p99_9" : statistic.rawValue]
      let value = self[statistic]
      try path.require(
        (value != nil) == (count >= statistic.fewestSamples),
        "expected if and only if there are \(statistic.fewestSamples) samples or more, found \(count)")
      guard let value else { continue }
      try path.require(isAtMost(lower, value) && isAtMost(value, max.value), "found \(value), which is out of order")
      lower = value
    }
    var previousRound = 0
    for (index, figure) in rounds.enumerated() {
      let path = path["rounds"][index], value = figure.value.value
      try path["round"].require(figure.round > previousRound, "the rounds do not ascend from 1")
      // In a comparison, a run that is far worse than the best run skips rounds. The number of a round may therefore
      // exceed the number of the run's trials.
      try path["round"].require(figure.round, in: 1...1_000_000)
      previousRound = figure.round
      // The total of a round's counts is the sum of many samples. A median or a mean is within the range of the
      // samples.
      let (low, high) = kind == .count ? (0, total.value) : (min.value, max.value)
      try path["value"].require(
        isAtMost(low, value) && isAtMost(value, high), "found \(value), expected \(low) to \(high)")
    }
    try path["rounds"].require(rounds.count <= count, "found \(rounds.count) figures of \(count) samples")
  }

  /// Returns whether two sums differ by at most 0.01 %, apart from a rounding error for each sample.
  private func isAbout(_ found: Double, _ expected: Double) -> Bool {
    abs(found - expected) <= 1e-4 * Swift.max(abs(found), abs(expected)) + 1e-9 * Double(count)
  }

  private func isAtMost(_ lower: Double, _ upper: Double) -> Bool {
    lower <= upper || lower - upper <= 1e-5 * abs(lower)
  }
}

extension Claim.Kind {
  /// The verdicts that a claim of this kind can have.
  fileprivate var verdicts: [Verdict] {
    switch self {
    case .guarantee: [.held, .violated, .unavailable]
    case .anomaly: [.witnessed, .notWitnessed, .unavailable]
    case .performance: [.supported, .refuted, .inconclusive, .unavailable]
    }
  }
}

extension ClaimFacts {
  fileprivate func validate(_ path: JSONPath) throws(InputError) {
    let allowed = kind.verdicts.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try path["verdict"].require(
      kind.verdicts.contains(verdict),
      "found '\(verdict.rawValue)', expected for the kind \(kind.rawValue): \(allowed)")
    let path = path["evidence"]
    let (trials, met) = (evidence.trials, evidence.met)
    // A check may compare each run with each other run, so there can be more comparisons than trials.
    try path["trials"].require(trials, in: 0...1_000_000_000)
    try path["met"].require(met, in: 0...trials)
    if let lost = evidence.lost { try path["lost"].require(lost, in: 1...1_000_000_000) }
    for (name, range) in [("leftRange", evidence.leftRange), ("rightRange", evidence.rightRange)] {
      let ends = range?.map(\.value) ?? [0, 1]
      try path[name].require(ends.count == 2 && ends[0] < ends[1], "expected two values, the smaller first")
    }
    let isBorneOut =
      switch verdict {
      // For `any` variant, one trial of each round is enough.
      case .held: met > 0 && (met == trials || rangesOverAny)
      case .violated, .refuted: met < trials
      case .witnessed, .supported: met > 0
      case .notWitnessed: met == 0 && trials > 0
      case .inconclusive: trials > 0
      case .unavailable: true
      }
    try path["met"].require(isBorneOut, "found \(met) of \(trials) trials, which is not \(verdict.rawValue)")
    let interval = [evidence.low, evidence.ratio, evidence.high].compactMap { $0?.value }
    try path["ratio"].require([0, 3].contains(interval.count), "expected low, ratio and high, or none of them")
    try path["ratio"].require(
      interval == interval.sorted() && interval.allSatisfy { $0 >= 0 },
      "low, ratio and high do not ascend, or one of them is negative")
  }

  /// Whether a figure of the check has the scope `any`.
  private var rangesOverAny: Bool { writtenCheck?.figures.contains { $0.scope == .any } == true }
}
