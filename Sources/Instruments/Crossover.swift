import Laboratory
import Measurement

/// From which size on one way is surely faster than another, as far as the sizes tried tell.
public struct Crossover {
  /// The smallest size, in nanoseconds, at which it is surely faster, and so it is at every larger one; how many times
  /// as fast it is there; and the label of that run.
  public typealias Point = (size: Int, times: Double, label: String)

  /// Where that is; nil when it is not surely faster even at the largest size.
  public let point: Point?

  /// Nil with fewer than two sizes at which both have rounds enough to compare.
  ///
  /// - Parameters:
  ///   - way: its runs, one a size.
  ///   - baseline: those of the other, at the same points.
  ///   - measure: what is lower where it is faster.
  ///   - size: what is swept.
  public init?(of way: [Run], over baseline: [Run], by measure: Measure<Duration>, along size: Setting<Duration>) {
    let gains = way.filter { $0.point[size.name] != nil }.compactMap {
      run -> (size: Int, times: ConfidenceInterval, label: String)? in
      guard let size = size.value(in: run.parameters), let other = baseline.first(where: { $0.point == run.point }),
        let times = other.rounds(with: run, of: measure).interval()
      else { return nil }
      return (Int(size.nanoseconds), times, run.label)
    }.sorted { $0.size < $1.size }
    guard gains.count > 1 else { return nil }
    let surely = gains.reversed().prefix { $0.times.low > 1 }
    point = surely.last.map { ($0.size, $0.times.estimate, $0.label) }
  }
}

extension Run {
  /// The figures of `measure` in this run and in another, by rounds that both have.
  public func rounds(with other: Run, of measure: Measure<Duration>) -> PairedRounds {
    PairedRounds(figures(measure.metric), against: other.figures(measure.metric))
  }
}
