import Measurement

extension Metric.Better {
  /// The ranking by such a metric; nil where neither way is better.
  public var ranking: Ranking? {
    switch self {
    case .lower: .lower
    case .higher: .higher
    case .neither: nil
    }
  }
}
