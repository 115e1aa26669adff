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
  /// The measured cost of a loop at one stride. The number of blocks and the elapsed time are medians over the rounds.
  struct Cost {
    let stride: Int
    let blocks: Double
    var elapsed: Double
    /// The nanoseconds that the loop took in each round, by the number of the round; empty if only the median is known.
    var rounds: [Int: Double] = [:]
  }

  var fit: StrideFit
  /// The fits to resampled rounds, from which the confidence interval for the cost of a block is computed; empty if
  /// there are too few rounds.
  let resampled: [StrideFit]
  let iterations: Double
  /// The number of cores on which the loop could run.
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
  var isUndecided: Bool { !fits && (fit.worst.error <= Self.tolerance || shareOfFits > 1 - Self.most) }

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

  /// Returns the 95 % confidence interval of the nanoseconds that a block of `stride` iterations adds to the loop; nil
  /// if there were too few rounds.
  func costOfBlock(at stride: Int) -> ClosedRange<Double>? {
    guard !resampled.isEmpty else { return nil }
    let (cost, costs) = (fit.perBlock(at: stride), resampled.map { $0.perBlock(at: stride) }.sorted())
    let outside = costs.count / 40
    return min(cost, costs[outside])...max(cost, costs[costs.count - 1 - outside])
  }

  /// Returns a copy of the model in which the cost of a block at `stride` is the upper end of the confidence interval
  /// of that cost (``costOfBlock(at:)``). If there is no interval, returns the model itself.
  private func conservative(at stride: Int) -> StrideModel {
    guard let highest = costOfBlock(at: stride)?.upperBound else { return self }
    var model = self
    model.fit.overhead += highest - fit.perBlock(at: stride)
    return model
  }

  // MARK: The recommended strides

  /// The result of the search for strides whose overhead is at most the allowed overhead.
  enum Recommendation: Equatable {
    /// The strides at which the overhead is at most the allowed overhead.
    case strides(ClosedRange<Int>)
    /// Every stride has more than the allowed overhead. The values are the smallest overhead, as a fraction of the
    /// work, and its stride.
    case smallest(overhead: Double, stride: Int)
  }

  /// Returns the overhead for which the model recommends strides: `share`, or the error of the model if the error is
  /// larger. The error is rounded up to a tenth of a percent. A model that errs by 4 % cannot find the strides with an
  /// overhead of 1 %.
  func decidable(_ share: Double) -> Double { max(share, (fit.worst.error * 1000).rounded(.up) / 1000) }

  /// Returns the strides at which scheduling and idle cores cost at most the fraction `share` of the work, or at most
  /// the error of the model (``decidable(_:)``). If every stride costs more, returns the smallest overhead and its
  /// stride.
  func recommendation(forOverhead share: Double) -> Recommendation {
    conservative(at: reference(forOverhead: share)).plainRecommendation(forOverhead: decidable(share))
  }

  /// Returns the stride at which to compute the confidence interval for the cost of a block. This is the smallest
  /// stride that the model recommends before that interval is taken into account, or the stride with the smallest
  /// overhead if every stride costs more than `share`.
  func reference(forOverhead share: Double) -> Int {
    switch plainRecommendation(forOverhead: decidable(share)) {
    case .strides(let strides): strides.lowerBound
    case .smallest(_, let stride): stride
    }
  }

  /// Returns the recommendation without regard to the confidence interval for the cost of a block.
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
