/// The steadiness of the runs of an experiment: the spread, the outliers and the drift of one figure over the rounds.
public struct Steadiness: Sendable {
  /// The figure of one run, by round.
  public struct Series: Sendable {
    /// The name of the series in reports.
    public let label: String
    /// The rounds and their figures, in the order of the rounds.
    public let figures: [(round: Int, value: Double)]

    /// Creates a series. The rounds must be in ascending order.
    public init(label: String, figures: [(round: Int, value: Double)]) {
      self.label = label
      self.figures = figures
    }
  }
  /// The smallest number of rounds from which steadiness is determined.
  public static let fewest = 6

  /// The labels and the states of the series that have two states.
  public let bimodal: [(label: String, states: States)]
  /// The labels of the series that have one state, and a standard deviation of more than half of the mean.
  public let unsettled: [String]
  /// The labels of the series with outliers, and the number of outliers of each series. An outlier is a figure with a
  /// modified z-score above 3.5 (Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993). A series that is
  /// unsettled or has two states is not examined.
  public let outliers: [(label: String, count: Int)]
  /// The ratio of the median of the last third of the rounds to the median of the first third, over all series; nil if
  /// the rounds have no significant trend, or for fewer than ``fewest`` rounds. Chance produces a significant trend in
  /// at most one of a thousand runs (Mann, "Nonparametric Tests Against Trend", 1945).
  public let drift: Double?

  /// Creates the steadiness of a run from the series with at least ``fewest`` figures.
  public init(_ all: [Series]) {
    let series = all.filter { $0.figures.count >= Self.fewest }
    var bimodal: [(label: String, states: States)] = []
    var unsettled: [String] = []
    var outliers: [(label: String, count: Int)] = []
    for one in series {
      let values = one.figures.map(\.value)
      guard let summary = Summary(values), let deviation = summary.stddev else { continue }
      if let states = States(values) {
        bimodal.append((one.label, states))
      } else if deviation > 0.5 * summary.mean {
        unsettled.append(one.label)
      } else if let count = Self.outliers(values, around: summary.p50), count > 0 {
        outliers.append((one.label, count))
      }
    }
    self.bimodal = bimodal
    self.unsettled = unsettled
    self.outliers = outliers
    drift = Self.drift(series)
  }

  private static func outliers(_ values: [Double], around median: Double) -> Int? {
    guard let typical = Summary(values.map { abs($0 - median) })?.p50, typical > 0 else { return nil }
    return values.count { 0.6745 * abs($0 - median) / typical > 3.5 }
  }

  private static func drift(_ series: [Series]) -> Double? {
    // Each figure is divided by the median of its series. The median of all series in a round then gives one value for
    // each round.
    var byRound: [Int: [Double]] = [:]
    for one in series {
      guard let median = Summary(one.figures.map(\.value))?.p50, median > 0 else { continue }
      for figure in one.figures { byRound[figure.round, default: []].append(figure.value / median) }
    }
    let rounds = byRound.sorted { $0.key < $1.key }.compactMap { Summary($0.value)?.p50 }
    let n = rounds.count
    guard n >= fewest else { return nil }
    var rising = 0
    for i in 0..<n { for j in (i + 1)..<n { rising += rounds[j] > rounds[i] ? 1 : rounds[j] < rounds[i] ? -1 : 0 } }
    let variance = Double(n * (n - 1) * (2 * n + 5)) / 18
    guard Double(abs(rising) - 1) / variance.squareRoot() > 3.29 else { return nil }
    let third = n / 3
    guard let first = Summary(Array(rounds.prefix(third)))?.p50, let last = Summary(Array(rounds.suffix(third)))?.p50
    else { return nil }
    return last / first
  }
}
