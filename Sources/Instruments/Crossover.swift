import Laboratory
import Measurement

/// A comparison of one way to do the work with a baseline, at several sizes.
public struct Crossover {
  /// A measured size.
  public struct Size: Sendable {
    /// The size in nanoseconds.
    public let nanoseconds: Int
    /// The ratio of the baseline's time to the way's time, in each round and on average.
    public let contrast: Contrast
    /// The label of the way's run at the size.
    public let label: String
    /// The size as text: `10 us`.
    public var name: String { Quantity(Double(nanoseconds), .nanoseconds).description }
    /// Whether the way is certainly faster on average. If the value is nil, neither way is certainly faster.
    public var isFaster: Bool? { contrast.isDistinct == true ? contrast.ratio > 1 : nil }
    /// Whether the rounds show that the ways differ by little, if at all.
    var isAlike: Bool {
      isFaster == nil && contrast.interval.map { $0.largestDifference <= ConfidenceInterval.alikeDifference } ?? false
    }
  }

  /// The measured sizes, in ascending order; at least two.
  public let sizes: [Size]

  /// The smallest size such that the way is certainly faster at this size and at all larger sizes; nil if the way is
  /// not certainly faster at the largest size.
  public var point: Size? {
    sizes.suffix(sizes.count - (sizes.lastIndex { $0.isFaster != true } ?? -1) - 1).first
  }

  /// Whether the way is at no size certainly faster, and at no size faster on average but slower in most rounds.
  public var isNeverFaster: Bool {
    !sizes.contains { $0.isFaster == true || $0.contrast.ratio > 1 && $0.contrast.contradiction != nil }
  }

  /// Returns the names of the sizes at which the way is certainly faster, or certainly slower, or undecided if
  /// `isFaster` is nil. A size at which the ways are alike has neither name.
  public func names(_ isFaster: Bool?) -> [String] {
    sizes.filter { $0.isFaster == isFaster && !$0.isAlike }.map(\.name)
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
    of way: [VariantRun], over baseline: [VariantRun], by metric: MetricKey<Duration>,
    along size: ParameterKey<Duration>,
    in results: Results
  ) {
    let comparison = Comparison(results.runs, .init(results.experiment), by: metric.metric)
    sizes = way.filter { $0.point[size.name] != nil }.compactMap { run -> Size? in
      guard let size = size.value(in: run.parameters), let other = baseline.first(where: { $0.point == run.point }),
        let index = results.runs.firstIndex(where: { $0.label == run.label })
      else { return nil }
      let contrast = comparison.contrast(other.rounds(with: run, of: metric), inGroupOf: index)
      guard let contrast, contrast.isDistinct != nil else { return nil }
      return Size(nanoseconds: Int(size.nanoseconds), contrast: contrast, label: run.label)
    }.sorted { $0.nanoseconds < $1.nanoseconds }
    guard sizes.count > 1 else { return nil }
  }
}

extension VariantRun {
  /// Returns the figures of `metric` in this run paired with those of another run, for the rounds in which both runs
  /// have a figure.
  public func rounds(with other: VariantRun, of metric: MetricKey<Duration>) -> PairedRounds {
    PairedRounds(figures(metric.metric), against: other.figures(metric.metric))
  }
}
