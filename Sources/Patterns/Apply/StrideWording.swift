import Instruments
import Measurement

/// The wording of the finding about a cost model.
extension StrideModel {
  /// Returns the finding about a variant: the formula and the meaning of its terms. If the model does not fit, or if
  /// the rounds do not decide whether it fits, the finding states that result.
  ///
  /// - Parameter rounds: the number of rounds so far.
  func sentence(for variant: String, after rounds: Int) -> String {
    let error = "\(Self.percent(fit.worst.error)) %"
    guard !isUndecided else {
      return
        "the rounds do not decide whether a cost model fits \(variant); --rounds \(Self.enough(after: rounds)) may decide"
    }
    guard fits else {
      return "no cost model fits \(variant): the best one misses stride "
        + "\(fit.worst.stride.withCommas) by \(error), where \(Self.percent(Self.tolerance)) % is allowed"
    }
    let meaning = [
      "\(Self.text(fit.work)) is the work on all cores",
      fit.overhead > 0 ? "\(Self.text(fit.overhead)) the cost of each block" : nil,
      fit.contention > 0
        ? "\(Self.text(fit.contention)) / stride its additional cost while cores contend for the next index" : nil,
      fit.tail > 0 ? "\(Self.text(fit.tail)) the cost of an iteration of the last block while other cores idle" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    return "cost model of \(variant): \(formula), where \(meaning) (at most \(error) from the "
      + "mean of each stride)"
  }

  /// Returns a number of rounds that may decide what `rounds` rounds did not: about four times as many, whose intervals
  /// are half as wide, rounded up to a multiple of 10, and at
  /// most as many as a run can have.
  private static func enough(after rounds: Int) -> Int { min(Budget.mostRounds, (4 * rounds + 9) / 10 * 10) }

  /// The formula of the model as text, such as `t = 1.83 ms + blocks x (216 ns + 8.05 us / stride)`.
  var formula: String {
    let perBlock = [
      fit.overhead > 0 ? Self.text(fit.overhead) : nil,
      fit.contention > 0 ? "\(Self.text(fit.contention)) / stride" : nil,
    ].compactMap(\.self)
    let ofBlocks = perBlock.count > 1 ? "(\(perBlock.joined(separator: " + ")))" : perBlock.first
    let terms = [
      Self.text(fit.work), ofBlocks.map { "blocks x \($0)" }, fit.tail > 0 ? "stride x \(Self.text(fit.tail))" : nil,
    ]
    return "t = " + terms.compactMap(\.self).joined(separator: " + ")
  }

  private static func text(_ nanoseconds: Double) -> String { Quantity(nanoseconds, .nanoseconds).description }

  private static func percent(_ share: Double) -> String { Quantity.number((share * 1000).rounded(.up) / 10) }
}
