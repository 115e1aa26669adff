import Laboratory
import Measurement

/// The smallest measured size from which one way to do the work is certainly faster than another way.
public struct Crossover {
  /// A size in nanoseconds, the speed of the way at that size as a multiple of the baseline's speed, the label of the
  /// way's run at that size, and the undecided sizes. At this size and at all larger sizes, the way is certainly
  /// faster. The undecided sizes are smaller sizes at which neither way is certainly faster.
  public typealias Point = (size: Int, times: Double, label: String, undecided: [Int])

  /// The minimum share of the rounds in which the way must be faster. A way whose times alternate between two states
  /// can have a lower mean although most of its rounds are slower.
  private static let faster = 0.75

  /// The smallest size from which the way is certainly faster; nil if the way is not certainly faster at the largest
  /// size.
  public let point: Point?

  /// Creates the crossover of a way and a baseline; nil if fewer than two sizes have enough rounds of both ways.
  ///
  /// - Parameters:
  ///   - way: the runs of the way under test, one for each size.
  ///   - baseline: the runs of the baseline, at the sizes of `way`.
  ///   - metric: the metric to compare, which is lower for the faster way.
  ///   - size: the parameter whose values are the sizes.
  ///   - results: the results that contain the runs of both ways. The confidence level holds for all ratios of these
  ///     results together.
  public init?(
    of way: [Run], over baseline: [Run], by metric: MetricKey<Duration>, along size: ParameterKey<Duration>,
    in results: Results
  ) {
    let comparison = Comparison(results.runs, .init(results.experiment), by: metric.metric)
    let gains = way.filter { $0.point[size.name] != nil }.compactMap {
      run -> (size: Int, times: ConfidenceInterval, isFaster: Bool, label: String)? in
      guard let size = size.value(in: run.parameters), let other = baseline.first(where: { $0.point == run.point }),
        let index = results.runs.firstIndex(where: { $0.label == run.label })
      else { return nil }
      let rounds = other.rounds(with: run, of: metric)
      guard let times = comparison.contrast(rounds, inGroupOf: index)?.interval else { return nil }
      let faster = rounds.pairs.count { $0.right < $0.left }
      let isFaster = times.low > 1 && Double(faster) >= Self.faster * Double(rounds.pairs.count)
      return (Int(size.nanoseconds), times, isFaster, run.label)
    }.sorted { $0.size < $1.size }
    guard gains.count > 1 else { return nil }
    let first = gains.count - gains.reversed().prefix(while: \.isFaster).count
    let undecided = gains.prefix(first).filter { !$0.isFaster && $0.times.high > 1 }.map(\.size)
    point = gains.dropFirst(first).first.map { ($0.size, $0.times.estimate, $0.label, undecided) }
  }
}

extension Run {
  /// Returns the figures of `metric` in this run paired with those of another run, for the rounds in which both runs
  /// have a figure.
  public func rounds(with other: Run, of metric: MetricKey<Duration>) -> PairedRounds {
    PairedRounds(figures(metric.metric), against: other.figures(metric.metric))
  }
}
