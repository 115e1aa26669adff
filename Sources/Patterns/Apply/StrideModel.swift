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
  /// The measured cost of a loop at one stride. The elapsed time is the geometric mean of the rounds, which tables
  /// show. The number of blocks is the median.
  struct Cost {
    let stride: Int
    let blocks: Double
    var elapsed: Double
    /// The nanoseconds that the loop took in each round, by the number of the round; empty if only the mean is known.
    var rounds: [Int: Double] = [:]
  }

  let fit: StrideFit
  /// The fits to resampled rounds; empty if there are too few rounds.
  private let resampled: [StrideFit]
  /// The largest error (``StrideFit/worst``), as a fraction, for which ``fits`` is true.
  static let tolerance = 0.05
  /// The smallest number of strides to which a model is fitted. Three terms would fit the costs of any three strides.
  static let fewestStrides = 4

  /// Creates a model by fitting it to the costs of at least four strides; nil for fewer strides, or if no set of terms
  /// can be fitted.
  init?(fitting costs: [Cost]) {
    guard costs.count >= Self.fewestStrides else { return nil }
    let costs = costs.sorted { $0.stride < $1.stride }
    guard let fit = StrideFit(costs) else { return nil }
    self.fit = fit
    resampled = StrideFit.resampled(costs)
  }

  /// Whether the largest error is at most ``tolerance``, both for the measured rounds and for most resamplings, and
  /// most resamplings have the same terms. A fit to few rounds may have a small error, or a term, by chance.
  var fits: Bool { fit.worst.error <= Self.tolerance && shareOfFits >= Self.most }

  /// Whether the model does not fit so far, but more rounds may show that it fits.
  var isUndecided: Bool { !fits && (fit.worst.error <= Self.tolerance || shareOfFits > 1 - Self.most) }

  /// Whether the model does not fit, and more rounds would hardly change that.
  var isRejected: Bool { !fits && !isUndecided }

  /// The share of the resamplings, from 0 to 1, that have the terms of ``fit`` and whose largest error is at most
  /// ``tolerance``. If there were too few rounds for resamplings, the value is 1 if the error of the fit itself is at
  /// most ``tolerance``, and 0 otherwise.
  private var shareOfFits: Double {
    guard !resampled.isEmpty else { return fit.worst.error <= Self.tolerance ? 1 : 0 }
    return Double(resampled.count { $0.worst.error <= Self.tolerance && $0.terms == fit.terms })
      / Double(resampled.count)
  }

  /// The smallest share of the resamplings that counts as most resamplings.
  private static let most = 0.8
}
