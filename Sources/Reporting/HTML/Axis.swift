import Measurement

/// An axis of a picture, with ticks. Positions on a logarithmic axis are those of ``LogScale``.
struct Axis {
  let low: Double
  let high: Double
  let isLog: Bool
  let ticks: [(value: Double, label: String)]

  /// Returns the position of `value` on the axis, from 0 to 1. A value beyond an end of the axis has the position of
  /// this end.
  func position(_ value: Double) -> Double {
    let place = isLog ? LogScale.position(value, low: low, high: high) : (value - low) / (high - low)
    return place.isFinite ? min(max(place, 0), 1) : 0
  }
}

extension Axis {
  /// The minimum ratio between the largest and the smallest value of a logarithmic axis.
  private static let leastLogSpan = 20.0

  /// Creates an axis for values of `unit`. The axis is logarithmic if the smallest value is above 0 and the largest
  /// value is more than 20 times the smallest value.
  ///
  /// - Parameters:
  ///   - isFromZero: whether a linear axis begins at 0 if no value is below 0.
  ///   - most: the maximum number of ticks.
  init(_ values: [Double], _ unit: Unit, isFromZero: Bool = false, atMost most: Int = 7) {
    let values = values.filter(\.isFinite)
    let (least, greatest) = (values.min() ?? 0, values.max() ?? 1)
    let isLog = least > 0 && greatest / least > Self.leastLogSpan
    // The axis extends a little beyond the values at both ends. A single value needs an axis with two different ends.
    let spread = greatest > least ? greatest - least : max(abs(greatest), 1)
    let low =
      isLog ? least / 1.15 : isFromZero && least >= 0 ? 0 : max(least - 0.08 * spread, least >= 0 ? 0 : -.infinity)
    let high = isLog ? greatest * 1.15 : greatest + 0.08 * spread
    let marks = isLog ? Self.decades(low, high, most) : Self.round(low, high, most)
    self.init(
      low: low, high: high, isLog: isLog, ticks: marks.map { ($0, Quantity($0, unit).description) })
  }

  /// Returns the powers of ten in a range as ticks, with their multiples by 2 and 5 if there is room. If there are too
  /// many powers of ten, only every second or third power is returned, and so on.
  private static func decades(_ low: Double, _ high: Double, _ most: Int) -> [Double] {
    let decades = LogScale.decades(from: low / 10, to: high)
    let fine = decades.flatMap { decade in [1, 2, 5].map { decade * $0 } }.filter { $0 >= low && $0 <= high }
    let coarse = decades.filter { $0 >= low }
    guard fine.count > most, coarse.count > 1 else { return Array(fine.prefix(most)) }
    let step = (coarse.count + most - 1) / most
    return coarse.enumerated().filter { $0.offset.isMultiple(of: step) }.map(\.element)
  }

  /// Returns at most `most` round numbers in a range as ticks.
  private static func round(_ low: Double, _ high: Double, _ most: Int) -> [Double] {
    let decade = LogScale.decades(from: (high - low) / 10, to: high - low).first ?? (high - low) / 5
    let step = [0.2, 0.5, 1, 2, 5].map { $0 * decade }.first { (high - low) / $0 <= Double(most - 1) } ?? 5 * decade
    let (first, last) = ((low / step).rounded(.up), (high / step).rounded(.down))
    guard first <= last, abs(first) < 1e15, abs(last) < 1e15 else { return [] }
    return (0..<min(most, Int(last - first) + 1)).map { (first + Double($0)) * step }
  }
}

/// Returns a coordinate as text with one decimal. A value that is not finite counts as 0.
func coordinate(_ value: Double) -> String { Quantity.fixed(value.isFinite ? value : 0, decimals: 1) }

/// Returns a share of the width as a percentage: `37.5%`. A share that is not finite counts as 0.
func percent(_ share: Double) -> String { Quantity.fixed(share.isFinite ? 100 * share : 0, decimals: 2) + "%" }
