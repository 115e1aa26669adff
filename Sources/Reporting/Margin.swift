import Measurement

extension ConfidenceInterval {
  /// The half width of the interval, where it is wider, as a share of the estimate: `±2.1 %`.
  func margin(unicode: Bool) -> String {
    let share = 100 * max(high / estimate - 1, 1 - low / estimate)
    return (unicode ? "±" : "+-") + (share < 1000 ? "\(Quantity.fixed(share, decimals: share < 9.95 ? 1 : 0)) %" : "?")
  }
}
