import Instruments
import Measurement

/// The cost of a strided loop as a function of its stride `s`, for `n` iterations in `b = ceil(n / s)` blocks:
///
/// ```
/// elapsed(s) = work + overhead * b + contention * b / s + tail * s
/// ```
///
/// `work` is the time of the iterations, divided by the number of cores. `overhead` is the cost of scheduling a block.
/// `contention` is an additional cost of blocks that are so short that several threads fetch them at the same time.
/// `tail` is the cost of an iteration in the last block, during which the other cores are idle (load imbalance). All
/// terms are nonnegative times in nanoseconds. ``StrideFit`` selects the terms.
struct StrideModel {
  /// The measured cost of one stride, as medians over the rounds.
  struct Cost {
    let stride: Int
    let blocks: Double
    var elapsed: Double
    /// The nanoseconds that the loop took in each round, by the number of the round; empty if only the median is known.
    var rounds: [Int: Double] = [:]
  }

  var fit: StrideFit
  /// The fits to resampled rounds, for the interval of the cost of a block; empty if there are too few rounds.
  let resampled: [StrideFit]
  let iterations: Double
  /// The number of cores that ran the loop.
  let cores: Int
  /// The range of the strides to which the model was fitted.
  let tried: ClosedRange<Int>
  /// The largest prediction error, as a fraction, for which ``fits`` is true.
  static let tolerance = 0.05
  /// The smallest number of strides to which a model is fitted. Three terms would fit the costs of any three strides.
  static let fewestStrides = 4

  /// Creates a model by fitting it to the costs of at least four strides; nil for fewer strides, or if no set of terms
  /// can be fitted.
  init?(fitting costs: [Cost], cores: Int) {
    guard costs.count >= Self.fewestStrides else { return nil }
    let costs = costs.sorted { $0.stride < $1.stride }
    guard let fit = StrideFit(costs) else { return nil }
    self.fit = fit
    resampled = StrideFit.resampled(costs)
    iterations = costs.map { $0.blocks * Double($0.stride) }.min() ?? 0
    self.cores = cores
    tried = costs[0].stride...costs[costs.count - 1].stride
  }

  /// Whether the largest leave-one-out error is at most ``tolerance``, both for the measured rounds and for most
  /// resamplings. A fit to few rounds may have a small error by chance.
  var fits: Bool { fit.worst.error <= Self.tolerance && shareOfFits >= Self.most }

  /// Whether the model does not fit so far, but more rounds may show that it fits.
  private var isUndecided: Bool { !fits && (fit.worst.error <= Self.tolerance || shareOfFits > 1 - Self.most) }

  /// The share of the resamplings, from 0 to 1, whose largest leave-one-out error is at most ``tolerance``. If there
  /// were too few rounds for resamplings, the value is 1 if the error of the fit itself is at most ``tolerance``, and 0
  /// otherwise.
  private var shareOfFits: Double {
    guard !resampled.isEmpty else { return fit.worst.error <= Self.tolerance ? 1 : 0 }
    return Double(resampled.count { $0.worst.error <= Self.tolerance }) / Double(resampled.count)
  }

  /// The smallest share of the resamplings that counts as most resamplings.
  private static let most = 0.8

  /// Returns the model of another loop on the same machine. The other loop has `iterations` iterations. Each iteration
  /// takes `times` times as long as an iteration of this model's loop.
  func scaled(iterations: Double, times: Double) -> StrideModel {
    StrideModel(
      fit: fit.scaled(work: iterations / self.iterations * times, tail: times), resampled: resampled,
      iterations: iterations, cores: cores, tried: tried)
  }

  private init(
    fit: StrideFit, resampled: [StrideFit], iterations: Double, cores: Int, tried: ClosedRange<Int>
  ) {
    (self.fit, self.resampled, self.iterations) = (fit, resampled, iterations)
    (self.cores, self.tried) = (cores, tried)
  }

  // MARK: The cost of a block

  /// Returns the 95 % interval of the nanoseconds that a block of `stride` iterations adds to the loop; nil if there
  /// were too few rounds.
  func costOfBlock(at stride: Int) -> ClosedRange<Double>? {
    guard !resampled.isEmpty else { return nil }
    let (cost, costs) = (fit.perBlock(at: stride), resampled.map { $0.perBlock(at: stride) }.sorted())
    let outside = costs.count / 40
    return min(cost, costs[outside])...max(cost, costs[costs.count - 1 - outside])
  }

  /// Returns a copy of the model in which the cost of a block at `stride` is the upper end of the interval of that cost
  /// (``costOfBlock(at:)``). If there is no interval, returns the model itself.
  private func careful(at stride: Int) -> StrideModel {
    guard let highest = costOfBlock(at: stride)?.upperBound else { return self }
    var model = self
    model.fit.overhead += highest - fit.perBlock(at: stride)
    return model
  }

  // MARK: The recommended strides

  /// The result of the search for strides with an allowed overhead.
  enum Recommendation: Equatable {
    /// The strides at which the overhead is at most the allowed overhead.
    case strides(ClosedRange<Int>)
    /// Every stride has more than the allowed overhead. The values are the smallest overhead, as a fraction of the
    /// work, and its stride.
    case smallest(overhead: Double, stride: Int)
  }

  /// Returns the strides at which scheduling and idle cores cost at most the fraction `share` of the work. If every
  /// stride costs more, returns the stride with the smallest cost.
  func recommendation(forOverhead share: Double) -> Recommendation {
    careful(at: reference(forOverhead: share)).plainRecommendation(forOverhead: share)
  }

  /// Returns the stride at which the interval of the cost of a block is computed: the smallest recommended stride of
  /// the model without the interval.
  func reference(forOverhead share: Double) -> Int {
    switch plainRecommendation(forOverhead: share) {
    case .strides(let strides): strides.lowerBound
    case .smallest(_, let stride): stride
    }
  }

  /// Returns the recommendation without regard to the interval of the cost of a block.
  ///
  /// With an increasing stride, the cost of scheduling decreases and the cost of idle cores increases, so their sum has
  /// one minimum.
  private func plainRecommendation(forOverhead share: Double) -> Recommendation {
    let last = max(1, Int(iterations))
    func isEnough(_ stride: Int) -> Bool { cost(beyondWork: stride) <= share * fit.work }
    let lowest = Self.first(in: 1..<last) { cost(beyondWork: $0 + 1) >= cost(beyondWork: $0) }
    guard isEnough(lowest) else { return .smallest(overhead: cost(beyondWork: lowest) / fit.work, stride: lowest) }
    return .strides(Self.first(in: 1..<lowest, where: isEnough)...Self.first(in: lowest..<last) { !isEnough($0 + 1) })
  }

  private func cost(beyondWork stride: Int) -> Double {
    fit.perBlock(at: stride) * iterations / Double(stride) + max(fit.tail, balance) * Double(stride)
  }

  /// The largest time in nanoseconds that one more iteration in each block can add to the loop. While the last block
  /// runs, all other cores may be idle. The model uses a tail of at least this time, since the measured tail may be
  /// zero merely because the measured strides divided the loop evenly.
  private var balance: Double { iterations > 0 ? Double(cores - 1) * fit.work / iterations : 0 }

  /// Returns the first number in `range` for which `holds` returns true; the upper bound of `range` if there is no such
  /// number. If `holds` returns true for a number, `holds` must return true for all larger numbers.
  private static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - Words

extension StrideModel {
  /// Returns the findings about a variant: the formula, the cost of a block, and the strides for an overhead of at most
  /// `share`, as a fraction. If the model does not fit, or if the rounds do not decide whether it fits, the only
  /// sentence states that result.
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
      "cost model of \(variant): \(formula), where \(meaning) "
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
      "no stride keeps the overhead at \(Self.percent(share)) %; "
        // At this overhead, all cores together are as fast as one core.
        + (cores > 1 && overhead >= Double(cores - 1)
          ? "the loop is too short: a plain loop is as fast"
          : "the smallest overhead is \(Self.percent(overhead, .up)) %, at \(words(stride...stride))")
    }
  }

  /// Returns the allowed overhead as text, with the error of the model if the error is larger than the overhead.
  func limit(_ share: Double) -> String {
    "for at most \(Self.percent(share)) % overhead"
      + (fit.worst.error > share ? " (the model errs by up to \(Self.percent(fit.worst.error, .up)) %)" : "")
  }

  /// Returns a range of strides as text: `stride 16 to 9,500`. The ends have two significant digits, since the model is
  /// not more precise. A note in parentheses states the smallest or largest measured stride if an end lies beyond that
  /// stride.
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
