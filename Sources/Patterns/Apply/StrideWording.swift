import Measurement

/// The wording of the findings about a cost model.
extension StrideModel {
  /// Returns the findings about a variant: the formula, the cost of a block, and the strides whose overhead is at most
  /// the fraction `share`. If the model does not fit, or if the rounds do not decide whether it fits, the only sentence
  /// states that result.
  func sentences(for variant: String, overhead share: Double) -> [String] {
    let error = "\(Self.percent(fit.worst.error)) %"
    guard !isUndecided else {
      return ["the rounds do not decide whether a cost model fits \(variant): measure longer (--time)"]
    }
    guard fits else {
      return [
        "no cost model fits \(variant): fitted to the other strides, it misses stride \(fit.worst.stride.withCommas) by "
          + "\(error), where \(Self.percent(Self.tolerance)) % is allowed, so choose a stride by the table"
      ]
    }
    let meaning = [
      "\(Self.text(fit.work)) is the work on all cores",
      fit.overhead > 0 ? "\(Self.text(fit.overhead)) the cost of each block" : nil,
      fit.contention > 0
        ? "\(Self.text(fit.contention)) / stride its additional cost while cores contend for the next index" : nil,
      fit.tail > 0 ? "\(Self.text(fit.tail)) the cost of an iteration of the last block while other cores idle" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let model =
      "cost model of \(variant), for the medians: \(formula), where \(meaning) "
      + "(error at a stride left out of the fit: at most \(error))"
    let stride = reference(forOverhead: share)
    let block =
      "each block of \(variant) at stride \(stride.withCommas) adds \(Self.text(fit.perBlock(at: stride))) "
      + (costOfBlock(at: stride).map { interval in
        "(95 % interval: \(Self.text(interval.lowerBound)) to \(Self.text(interval.upperBound))); the strides are "
          + "computed from the upper end"
      } ?? "(too few rounds for an interval)")
    return [model, block, "\(variant): \(words(forOverhead: share))"]
  }

  /// Returns the recommended strides as text. If every stride has more than the overhead `share`, the text states the
  /// smallest overhead, or that a plain loop is as fast.
  func words(forOverhead share: Double) -> String {
    switch recommendation(forOverhead: share) {
    case .strides(let strides): "\(limit(share)) use \(words(strides))"
    case .smallest(let overhead, let stride):
      "no stride keeps the overhead at \(Self.percent(decidable(share))) %; "
        // With at least this overhead, all cores together are no faster than one core.
        + (cores > 1 && overhead >= Double(cores - 1)
          ? "the loop is too short: a plain loop is as fast"
          : "the smallest overhead is \(Self.percent(overhead, .up)) %, at \(words(stride...stride))")
    }
  }

  /// Returns the overhead for which the model recommends strides as text, with the reason if this overhead is larger
  /// than the allowed fraction `share`.
  func limit(_ share: Double) -> String {
    "for at most \(Self.percent(decidable(share))) % overhead"
      + (decidable(share) > share
        ? " (the error of the cost model, which cannot tell the strides for \(Self.percent(share)) %)" : "")
  }

  /// Returns a range of strides as text; for example, `stride 16 to 9,500`. The ends have two significant digits, since
  /// the model is not more precise. A note in parentheses states the smallest or largest measured stride if an end lies
  /// beyond that stride.
  func words(_ exact: ClosedRange<Int>) -> String {
    let strides = Self.rounded(exact, whole: Int(iterations))
    let beyond = [
      strides.lowerBound < tried.lowerBound ? "smallest measured: \(tried.lowerBound.withCommas)" : nil,
      strides.upperBound > tried.upperBound ? "largest measured: \(tried.upperBound.withCommas)" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let most = strides.count > 1 ? " to \(strides.upperBound.withCommas)" : ""
    return "stride \(strides.lowerBound.withCommas)\(most)" + (beyond.isEmpty ? "" : " (\(beyond))")
  }

  /// Returns the largest range within `exact` whose bounds have two significant digits. The upper bound may also be
  /// `whole`, the number of iterations. Returns `exact` if there is no such range.
  private static func rounded(_ exact: ClosedRange<Int>, whole: Int) -> ClosedRange<Int> {
    func unit(_ number: Int) -> Int {
      var unit = 1
      while number / unit >= 100 { unit *= 10 }
      return unit
    }
    let (first, last) = (unit(exact.lowerBound), unit(exact.upperBound))
    let low = (exact.lowerBound + first - 1) / first * first
    let high = exact.upperBound == whole ? whole : exact.upperBound / last * last
    return low <= high ? low...high : exact
  }

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

  private static func percent(_ share: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> String {
    Quantity.number((share * 1000).rounded(rule) / 10)
  }
}
