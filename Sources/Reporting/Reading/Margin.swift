import Measurement

extension ConfidenceInterval {
  /// The half width of the interval, where it is wider, as a share of the estimate: `±2.1 %`.
  var margin: String {
    let share = 100 * max(high / estimate - 1, 1 - low / estimate)
    return Signs.margin + (share < 1000 ? "\(Quantity.fixed(share, decimals: share < 9.95 ? 1 : 0)) %" : "?")
  }
}
