import Measurement

extension Metric.Better {
  /// The ranking of figures in this direction; nil if neither direction is better.
  public var ranking: Ranking? {
    switch self {
    case .lower: .lower
    case .higher: .higher
    case .neither: nil
    }
  }
}
