import Laboratory
import Measurement

/// A comparison of one way to do the work with a baseline, at several sizes.
public struct Crossover {
  /// A measured size.
  public struct Size: Sendable {
    /// The size in nanoseconds.
    public let nanoseconds: Int
    /// The speed of the way as a multiple of the baseline's speed.
    public let times: Double
    /// The share of the rounds in which the way was faster, from 0 to 1. If the times of the way alternate between two
    /// states, the way can be faster on average although it is slower in most rounds.
    public let share: Double
    /// The label of the way's run at the size.
    public let label: String
    /// Whether the way is certainly faster on average. If the value is nil, neither way is certainly faster.
    public let isFaster: Bool?
  }

  /// The measured sizes, in ascending order; at least two.
  public let sizes: [Size]

  /// The smallest size from which on the way is certainly faster at all sizes; nil if the way is not certainly faster
  /// at the largest size.
  public var point: Size? {
    sizes.suffix(sizes.count - (sizes.lastIndex { $0.isFaster != true } ?? -1) - 1).first
  }

  /// Creates the comparison of a way with a baseline; nil if fewer than two sizes have enough rounds of both ways.
  ///
  /// - Parameters:
  ///   - way: the runs of the way under test, one for each size.
  ///   - baseline: the runs of the baseline, at the sizes of `way`.
  ///   - metric: the metric to compare, which is lower for the faster way.
  ///   - size: the parameter whose values are the sizes.
  ///   - results: the results that contain the runs of both ways. The confidence level holds for all ratios of these
  ///     results together, as in the tables.
  public init?(
    of way: [Run], over baseline: [Run], by metric: MetricKey<Duration>, along size: ParameterKey<Duration>,
    in results: Results
  ) {
    let comparison = Comparison(results.runs, .init(results.experiment), by: metric.metric)
    sizes = way.filter { $0.point[size.name] != nil }.compactMap { run -> Size? in
      guard let size = size.value(in: run.parameters), let other = baseline.first(where: { $0.point == run.point }),
        let index = results.runs.firstIndex(where: { $0.label == run.label })
      else { return nil }
      let rounds = other.rounds(with: run, of: metric)
      guard let contrast = comparison.contrast(rounds, inGroupOf: index), let isDistinct = contrast.isDistinct else {
        return nil
      }
      let faster = rounds.pairs.count { $0.right < $0.left }
      return Size(
        nanoseconds: Int(size.nanoseconds), times: contrast.ratio,
        share: Double(faster) / Double(rounds.pairs.count), label: run.label,
        isFaster: isDistinct ? contrast.ratio > 1 : nil)
    }.sorted { $0.nanoseconds < $1.nanoseconds }
    guard sizes.count > 1 else { return nil }
  }
}

extension Run {
  /// Returns the figures of `metric` in this run paired with those of another run, for the rounds in which both runs
  /// have a figure.
  public func rounds(with other: Run, of metric: MetricKey<Duration>) -> PairedRounds {
    PairedRounds(figures(metric.metric), against: other.figures(metric.metric))
  }
}
