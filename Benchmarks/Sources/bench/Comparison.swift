#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One of the things compared: how to get its figures, by name.
struct Side {
  let name: String
  let measure: () throws -> [String: Double]
}

/// The figures of a side, round by round, or why there are none. Rows share it, and a row that is not told yet asks for more.
final class Series {
  let name: String
  private let measure: () throws -> [String: Double]
  private var rounds: [Int: [String: Double]] = [:]
  private var failure: Failure?

  init(_ side: Side) {
    name = side.name
    measure = side.measure
  }

  /// Measures it once more, in the round of this number.
  func add(_ round: Int) {
    guard failure == nil else { return }
    do { rounds[round] = try measure() } catch { failure = (error as? Failure) ?? Failure(reason: "\(error)") }
  }

  /// The values of one figure by round.
  func values(_ figure: String) throws(Failure) -> [Int: Double] {
    if let failure { throw failure }
    let values = rounds.compactMapValues { $0[figure] }
    guard !values.isEmpty, values.count == rounds.count else { throw Failure(reason: "\(name) has no \(figure)") }
    return values
  }
}

/// Measures every side once a round, each round starting with another, so that drift hits all alike.
func interleave(_ rounds: Int, _ sides: [Side]) -> [Series] {
  let series = sides.map(Series.init)
  for round in 0..<rounds { add(round, to: series) }
  return series
}

private func add(_ round: Int, to series: [Series]) {
  for step in series.indices { series[(round + step) % series.count].add(round) }
}

/// Measures on what some rows compare that cannot be told yet, until all are told or so many seconds are over.
func settle(_ rows: [Row], after rounds: Int, within seconds: Double) {
  let end = clock() + seconds
  var round = rounds
  while clock() < end {
    let open = rows.filter { (try? $0.reading())?.verdict?.isSure == false }.flatMap { [$0.left, $0.right] }
    guard !open.isEmpty else { return }
    var seen: Set<ObjectIdentifier> = []
    add(round, to: open.filter { seen.insert(ObjectIdentifier($0)).inserted })
    round += 1
  }
}

/// Seconds of the monotonic clock.
private func clock() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// What a figure has to reach, as the lab's requirements say.
enum Target {
  /// Shown for what it is.
  case none
  /// Both do the same work: the left figure is at most 1.05 times the right one, and of what takes less than 100 ns at most one
  /// nanosecond more, which is an iteration of an empty loop. That it is less is no miss.
  case sameWork
  /// The left figure is at most so many nanoseconds more than the right one.
  case more(Int)
  /// The ratio of left to right, to two decimals.
  case ratio(ClosedRange<Double>, String)
  /// The left figure itself.
  case value(ClosedRange<Double>, String)

  static func ratio(atMost limit: Double) -> Target { .ratio(0...limit, "ratio <= \(fixed(limit, 2))") }
  static func ratio(atLeast limit: Double) -> Target { .ratio(limit...Double.infinity, "ratio >= \(fixed(limit, 2))") }

  /// What it asks of such figures.
  private func asked(_ pairs: [Pair]) -> (text: String, values: [Double], range: ClosedRange<Double>)? {
    let isShort = (pairs.map(\.right).median ?? 0) < 100
    switch self {
    case .none: return nil
    case .sameWork where isShort: return Target.more(1).asked(pairs)
    case .sameWork: return Target.ratio(atMost: 1.05).asked(pairs)
    case .more(let most):
      return ("+ <= \(most) ns", pairs.map { $0.left - $0.right }, -Double.infinity...Double(most))
    case .ratio(let range, let text):
      return (text, pairs.compactMap(\.ratio).map { ($0 * 100).rounded() / 100 }, range)
    case .value(let range, let text): return (text, pairs.map(\.left), range)
    }
  }

  /// What it asks, and whether the figures meet it; nil when there is nothing to meet.
  func verdict(_ pairs: [Pair]) -> (text: String, verdict: Verdict)? {
    asked(pairs).map { ($0.text, Verdict($0.values, $0.range)) }
  }
}

/// The figures of two sides in one round.
struct Pair {
  let left, right: Double
  var ratio: Double? { right > 0 ? left / right : nil }
}

/// Whether a median is in its range, and whether as many other rounds might have shown the contrary.
struct Verdict {
  let isMet: Bool
  let isSure: Bool

  init(_ values: [Double], _ range: ClosedRange<Double>) {
    guard !values.isEmpty else {
      (isMet, isSure) = (false, false)
      return
    }
    let met = values.median.map(range.contains) ?? false
    let interval = values.medianInterval
    isMet = met
    isSure = [interval.low, interval.high].allSatisfy { range.contains($0) == met }
  }

  var text: String { (isMet ? "met" : "MISSED") + (isSure ? "" : " ~") }
}

extension [Double] {
  /// The 95 % confidence interval of the median from the order statistics: how many of n values lie below the true
  /// median is a toss of n coins, whatever their distribution. (The normal approximation; all values when n < 6.)
  var medianInterval: (low: Double, high: Double) {
    let sorted = sorted()
    let rank = Swift.max(0, Int((Double(count) / 2 - 0.98 * Double(count).squareRoot()).rounded(.down)))
    return (sorted[rank], sorted[count - 1 - rank])
  }
}

/// A figure of two sides and what their ratio has to be.
struct Row {
  let title: String
  let left: Series
  let right: Series
  let figure: String
  let unit: Unit
  let target: Target

  /// What its rounds come to.
  struct Reading {
    /// The rounds that are compared: where a figure has two states, those in which both sides were in the same one.
    let pairs: [Pair]
    let left, right: String
    let target: String
    let verdict: Verdict?
  }

  /// Reads its rounds, or says why it was not measured.
  func reading() throws(Failure) -> Reading {
    let (ours, theirs) = (try left.values(figure), try right.values(figure))
    let all = ours.compactMap { round, value in theirs[round].map { Pair(left: value, right: $0) } }
    guard !all.isEmpty else { throw Failure(reason: "no round has both \(left.name) and \(right.name)") }
    let states = (left: States(all.map(\.left)), right: States(all.map(\.right)))
    var pairs = all
    if let left = states.left, let right = states.right {
      let alike = all.filter { ($0.left >= left.border) == ($0.right >= right.border) }
      if alike.count >= 6 { pairs = alike }
    }
    let verdict = target.verdict(pairs)
    return Reading(
      pairs: pairs, left: text(all.map(\.left), states.left), right: text(all.map(\.right), states.right),
      target: verdict?.text ?? "", verdict: verdict?.verdict)
  }

  /// Its cells, or why it was not measured.
  func cells() throws(Failure) -> (cells: [String], verdict: Verdict?) {
    let reading = try reading()
    let ratios = reading.pairs.compactMap(\.ratio).sorted()
    let spread = ratios.isEmpty ? "" : "\(fixed(ratios[0], 2))-\(fixed(ratios[ratios.count - 1], 2))"
    return (
      [
        title, reading.left, reading.right, ratios.median.map { fixed($0, 2) } ?? "", spread,
        "\(reading.pairs.count)", reading.target, reading.verdict?.text ?? "",
      ], reading.verdict
    )
  }

  /// The median, or that of each state: `5.1|60.2 us`.
  private func text(_ values: [Double], _ states: States?) -> String {
    guard let states else { return values.median.map(unit.text) ?? "-" }
    return [states.lower.median, states.upper.median].map(unit.text).joined(separator: " | ")
  }
}
