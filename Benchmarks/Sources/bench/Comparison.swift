/// One of the things compared: how to get its figures, by name.
struct Side {
  let name: String
  let measure: () throws -> [String: Double]
}

/// The figures of a side, round by round, or why there are none.
struct Series {
  let name: String
  private(set) var rounds: [[String: Double]] = []
  private(set) var failure: Failure?

  fileprivate mutating func add(_ measure: () throws -> [String: Double]) {
    guard failure == nil else { return }
    do { rounds.append(try measure()) } catch { failure = (error as? Failure) ?? Failure(reason: "\(error)") }
  }

  /// The values of one figure.
  func values(_ figure: String) throws(Failure) -> [Double] {
    if let failure { throw failure }
    let values = rounds.compactMap { $0[figure] }
    guard !values.isEmpty, values.count == rounds.count else { throw Failure(reason: "\(name) has no \(figure)") }
    return values
  }
}

/// Measures every side once a round, each round starting with another, so that drift hits all alike.
func interleave(_ rounds: Int, _ sides: [Side]) -> [Series] {
  var series = sides.map { Series(name: $0.name) }
  for round in 0..<rounds {
    for step in sides.indices {
      let side = (round + step) % sides.count
      series[side].add(sides[side].measure)
    }
  }
  return series
}

/// What a figure has to reach, as the lab's requirements say.
enum Target {
  /// Shown for what it is.
  case none
  /// The ratio of left to right, to two decimals.
  case ratio(ClosedRange<Double>, String)
  /// The left figure itself.
  case value(ClosedRange<Double>, String)

  static func ratio(atMost limit: Double) -> Target { .ratio(0...limit, "ratio <= \(fixed(limit, 2))") }
  static func ratio(atLeast limit: Double) -> Target { .ratio(limit...Double.infinity, "ratio >= \(fixed(limit, 2))") }
  static let within10Percent = Target.ratio(0.9...1.1, "ratio 0.90-1.10")
  static let within20Percent = Target.ratio(0.8...1.2, "ratio 0.80-1.20")

  var text: String {
    switch self {
    case .none: ""
    case .ratio(_, let text), .value(_, let text): text
    }
  }

  /// Whether the figures meet it; nil when there is nothing to meet.
  func verdict(left: [Double], ratios: [Double]) -> Verdict? {
    switch self {
    case .none: nil
    case .ratio(let range, _): Verdict(ratios.map { ($0 * 100).rounded() / 100 }, range)
    case .value(let range, _): Verdict(left, range)
    }
  }
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
    let met = range.contains(values.median)
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

  /// Its cells, or why it was not measured.
  func cells() throws(Failure) -> (cells: [String], verdict: Verdict?) {
    let (ours, theirs) = (try left.values(figure), try right.values(figure))
    let ratios = zip(ours, theirs).compactMap { $1 > 0 ? $0 / $1 : nil }.sorted()
    let ratio = ratios.isEmpty ? nil : ratios.median
    let verdict = target.verdict(left: ours, ratios: ratios)
    let spread = ratios.isEmpty ? "" : "\(fixed(ratios[0], 2))-\(fixed(ratios[ratios.count - 1], 2))"
    return (
      [
        title, unit.text(ours.median), unit.text(theirs.median), ratio.map { fixed($0, 2) } ?? "", spread, target.text,
        verdict?.text ?? "",
      ], verdict
    )
  }
}
