#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A side of a comparison. `measure` returns the figures of one round by name.
struct Side {
  let name: String
  let measure: () throws -> [String: Double]
}

/// The figures of a side in each round, or the reason why the side could not be measured. Rows share series, and a row
/// whose verdict is not certain requests more rounds.
final class Series {
  let name: String
  private let measure: () throws -> [String: Double]
  private var rounds: [Int: [String: Double]] = [:]
  private var failure: Failure?

  init(_ side: Side) {
    name = side.name
    measure = side.measure
  }

  /// Measures the side once, and stores the figures under the number `round`. The call has no effect after a failure.
  func add(_ round: Int) {
    guard failure == nil else { return }
    do { rounds[round] = try measure() } catch { failure = (error as? Failure) ?? Failure(reason: "\(error)") }
  }

  /// Returns the values of one figure by round.
  ///
  /// - Throws: ``Failure`` if the side could not be measured, or if a round lacks the figure.
  func values(_ figure: String) throws(Failure) -> [Int: Double] {
    if let failure { throw failure }
    let values = rounds.compactMapValues { $0[figure] }
    guard !values.isEmpty, values.count == rounds.count else { throw Failure(reason: "\(name) has no \(figure)") }
    return values
  }
}

/// Measures every side once in each round. Each round starts with another side, so that drift affects all sides
/// equally.
func interleave(_ rounds: Int, _ sides: [Side]) -> [Series] {
  let series = sides.map(Series.init)
  for round in 0..<rounds { add(round, to: series) }
  return series
}

private func add(_ round: Int, to series: [Series]) {
  for step in series.indices { series[(round + step) % series.count].add(round) }
}

/// Measures both sides of each row whose verdict is not certain again, until all verdicts are certain or `seconds` have
/// passed. `rounds` is the number of the first additional round.
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

/// Returns the time of the monotonic clock in seconds.
private func clock() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The target of a figure, according to the lab's requirements.
enum Target {
  /// No target: the figure is only shown.
  case none
  /// Both sides do the same work. The left figure is at most 1.05 times the right figure. If the right figure is below
  /// 100 ns, the left figure is at most 1 ns higher instead, which is the time of an iteration of an empty loop. A
  /// lower left figure also meets the target.
  case sameWork
  /// The left figure is at most this number of nanoseconds higher than the right figure.
  case more(Int)
  /// The ratio of the left to the right figure, rounded to two decimals, is in the range.
  case ratio(ClosedRange<Double>, String)
  /// The left figure is in the range.
  case value(ClosedRange<Double>, String)

  static func ratio(atMost limit: Double) -> Target { .ratio(0...limit, "ratio <= \(fixed(limit, 2))") }
  static func ratio(atLeast limit: Double) -> Target { .ratio(limit...Double.infinity, "ratio >= \(fixed(limit, 2))") }

  /// Returns the text of the target, the values that are judged, and the range for their median; nil without a target.
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

  /// Returns the text of the target and the verdict on the figures; nil without a target.
  func verdict(_ pairs: [Pair]) -> (text: String, verdict: Verdict)? {
    asked(pairs).map { ($0.text, Verdict($0.values, $0.range)) }
  }
}

/// The figures of two sides in one round.
struct Pair {
  let left, right: Double
  var ratio: Double? { right > 0 ? left / right : nil }
}

/// A verdict: whether the median of some values is in a range, and whether both ends of the median's 95 % confidence
/// interval give the same answer.
/// answer.
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
  /// The 95 % confidence interval of the median, from the order statistics. For any distribution, the number of values
  /// below the true median is binomially distributed with probability 1/2. The interval uses the normal approximation,
  /// and spans all values if there are fewer than 8.
  var medianInterval: (low: Double, high: Double) {
    let sorted = sorted()
    let rank = Swift.max(0, Int((Double(count) / 2 - 0.98 * Double(count).squareRoot()).rounded(.down)))
    return (sorted[rank], sorted[count - 1 - rank])
  }
}

/// A figure of two sides, and the target of their comparison.
struct Row {
  let title: String
  let left: Series
  let right: Series
  let figure: String
  let unit: Unit
  let target: Target

  /// The result of the rounds of a row.
  struct Reading {
    /// The rounds that are compared. If the figure has two states on both sides, only rounds in which both sides were
    /// in the same state are compared, unless there are fewer than 6 such rounds.
    let pairs: [Pair]
    let left, right: String
    let target: String
    let verdict: Verdict?
  }

  /// Compares the figures of both sides.
  ///
  /// - Throws: ``Failure`` if a side could not be measured, or if no round has the figures of both sides.
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

  /// Returns the cells of the row in a table, and the verdict; the verdict is nil without a target.
  ///
  /// - Throws: ``Failure`` if the row could not be measured.
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

  /// Returns the median, or the medians of both states, such as `12.1 us | 60.2 us`.
  private func text(_ values: [Double], _ states: States?) -> String {
    guard let states else { return values.median.map(unit.text) ?? "-" }
    return [states.lower.median, states.upper.median].map(unit.text).joined(separator: " | ")
  }
}
