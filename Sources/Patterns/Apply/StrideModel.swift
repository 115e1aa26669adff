import Instruments
import Measurement

/// The cost of a strided loop as a function of its stride `s`, for `n` iterations in `b = ceil(n / s)` blocks:
///
/// ```
/// elapsed(s) = work + overhead * b + contention * b / s + tail * s
/// ```
///
/// `work` is the time of the iterations, divided by the cores. `overhead` is the cost of scheduling a block.
/// `contention` is an additional cost of blocks that are so short that several threads fetch them at the same time.
/// `tail` is the cost of an iteration in the last block, during which the other cores are idle (load imbalance). All
/// terms are nonnegative. Cross-validation selects the terms: it chooses those that best predict the strides to which
/// they were not fitted.
struct StrideModel {
  /// The measured cost of one stride, as medians over the rounds.
  struct Cost {
    let stride: Int
    let blocks: Double
    let elapsed: Double
  }

  let work: Double
  let overhead: Double
  let contention: Double
  let tail: Double
  let iterations: Double
  /// The largest leave-one-out error, as a fraction, and the stride at which it occurs. A leave-one-out error is the
  /// error of predicting one stride from a fit to all other strides.
  let worst: (error: Double, stride: Int)

  /// The range of the strides to which the model was fitted.
  let tried: ClosedRange<Int>

  /// The largest prediction error, as a fraction, for which ``fits`` is true.
  static let tolerance = 0.05

  /// Creates a model by fitting it to the costs of at least four strides; nil for fewer strides, since three terms fit
  /// any three costs, or if no set of terms can be fitted.
  init?(fitting costs: [Cost]) {
    guard costs.count >= 4 else { return nil }
    let costs = costs.sorted { $0.stride < $1.stride }
    var best: (worst: (error: Double, stride: Int), parameters: [Double])?
    for columns in Self.choices(leaving: costs.count - 2) {
      guard let parameters = Self.fit(costs, columns), let worst = Self.worstPrediction(costs, columns) else {
        continue
      }
      if worst.error < best?.worst.error ?? .infinity { best = (worst, parameters) }
    }
    guard let best else { return nil }
    worst = best.worst
    tried = costs[0].stride...costs[costs.count - 1].stride
    (work, overhead, contention, tail) = (
      best.parameters[0], best.parameters[1], best.parameters[2], best.parameters[3]
    )
    iterations = costs.map { $0.blocks * Double($0.stride) }.min() ?? 0
  }

  /// Whether the largest leave-one-out error is at most ``tolerance``.
  var fits: Bool { worst.error <= Self.tolerance }

  /// Returns the strides for which scheduling and the tail cost at most `share` of the work, as a fraction; nil if this
  /// loop has no such stride.
  ///
  /// The cost of scheduling decreases with the stride, and the cost of the tail increases, so their sum has one
  /// minimum.
  func strides(forOverhead share: Double) -> ClosedRange<Int>? {
    let last = max(1, Int(iterations))
    func isEnough(_ stride: Int) -> Bool { cost(beyondWork: stride) <= share * work }
    let lowest = Self.first(in: 1..<last) { cost(beyondWork: $0 + 1) >= cost(beyondWork: $0) }
    guard isEnough(lowest) else { return nil }
    return Self.first(in: 1..<lowest, where: isEnough)...Self.first(in: lowest..<last) { !isEnough($0 + 1) }
  }

  private func cost(beyondWork stride: Int) -> Double {
    perBlock(at: stride) * iterations / Double(stride) + tail * Double(stride)
  }

  /// Returns the time in nanoseconds that scheduling one block of `stride` iterations adds to the loop.
  func perBlock(at stride: Int) -> Double { overhead + contention / Double(stride) }

  /// Returns the model of another loop on the same machine. The other loop has `iterations` iterations, and each takes
  /// `times` times as long.
  func scaled(iterations: Double, times: Double) -> StrideModel {
    StrideModel(
      work: work / self.iterations * iterations * times, overhead: overhead, contention: contention, tail: tail * times,
      iterations: iterations, worst: worst, tried: tried)
  }

  private init(
    work: Double, overhead: Double, contention: Double, tail: Double, iterations: Double,
    worst: (error: Double, stride: Int), tried: ClosedRange<Int>
  ) {
    self.work = work
    self.overhead = overhead
    self.contention = contention
    self.tail = tail
    self.iterations = iterations
    self.worst = worst
    self.tried = tried
  }

  /// Returns the first number in `range` for which `holds` returns true; the upper bound of `range` if there is no such
  /// number. If `holds` returns true for a number, it must return true for all later numbers.
  private static func first(in range: Range<Int>, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  func sentence(for variant: String, overhead share: Double) -> String {
    let error = "\(Quantity.number((worst.error * 1000).rounded() / 10)) %"
    guard fits else {
      return "no cost model fits \(variant): fitted to the other strides, it misses stride \(worst.stride.grouped) by "
        + "\(error), where \(Quantity.number(Self.tolerance * 100)) % is allowed; measure longer (--time) and at more strides "
        + "(stride=\(tried.lowerBound)..\(tried.upperBound):x2)"
    }
    let meaning = [
      "\(Self.text(work)) is the work on all cores",
      overhead > 0 ? "\(Self.text(overhead)) what each block adds" : nil,
      contention > 0
        ? "\(Self.text(contention)) / stride what it adds more while cores contend for the next index" : nil,
      tail > 0 ? "\(Self.text(tail)) what an iteration of the last block adds while other cores idle" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let line = "cost model of \(variant): \(formula), where \(meaning) (prediction error \(error))"
    guard overhead > 0 || contention > 0 else { return line }
    let most = "at most \(Quantity.number(share * 100)) % overhead"
    guard let strides = strides(forOverhead: share) else { return line + "; no stride of this loop has \(most)" }
    let end = Double(strides.upperBound) < iterations ? "to \(strides.upperBound.grouped)" : "or more"
    return line + "; for \(most) use stride \(strides.lowerBound.grouped) \(end)"
  }

  /// The formula of the model as text, such as `t = 1.83 ms + blocks x (216 ns + 8.05 us / stride)`.
  var formula: String {
    let perBlock = [
      overhead > 0 ? Self.text(overhead) : nil, contention > 0 ? "\(Self.text(contention)) / stride" : nil,
    ].compactMap(\.self)
    let ofBlocks = perBlock.count > 1 ? "(\(perBlock.joined(separator: " + ")))" : perBlock.first
    let terms = [
      Self.text(work), ofBlocks.map { "blocks x \($0)" }, tail > 0 ? "stride x \(Self.text(tail))" : nil,
    ]
    return "t = " + terms.compactMap(\.self).joined(separator: " + ")
  }

  private static func text(_ nanoseconds: Double) -> String { Quantity(nanoseconds, .nanoseconds).description }

  /// Returns the sets of terms to try, as column indices. Each set includes the work and has at most `most` terms,
  /// since more terms would fit any costs.
  private static func choices(leaving most: Int) -> [[Int]] {
    (0..<8).map { subset in [0] + (1...3).filter { subset & (1 << ($0 - 1)) != 0 } }.filter { $0.count <= most }
  }

  /// Returns the largest error of predicting a stride between the first and the last one from a fit to all other
  /// strides.
  private static func worstPrediction(_ costs: [Cost], _ columns: [Int]) -> (error: Double, stride: Int)? {
    let errors = costs.dropFirst().dropLast().map { held -> (error: Double, stride: Int) in
      guard let fit = fit(costs.filter { $0.stride != held.stride }, columns) else { return (.infinity, held.stride) }
      return (abs(predict(fit, held) / held.elapsed - 1), held.stride)
    }
    return errors.max { $0.error < $1.error }
  }

  /// Returns the terms that minimize the squares of the relative errors; nil if there is no solution or if a term is
  /// negative.
  private static func fit(_ costs: [Cost], _ columns: [Int]) -> [Double]? {
    let rows = costs.map { cost in columns.map { terms(cost)[$0] / cost.elapsed } }
    guard let solution = LeastSquares.solve(rows), solution.allSatisfy({ $0 >= 0 }) else { return nil }
    var parameters = [0.0, 0.0, 0.0, 0.0]
    for (column, value) in zip(columns, solution) { parameters[column] = value }
    return parameters
  }

  private static func terms(_ cost: Cost) -> [Double] {
    [1, cost.blocks, cost.blocks / Double(cost.stride), Double(cost.stride)]
  }

  private static func predict(_ parameters: [Double], _ cost: Cost) -> Double {
    zip(parameters, terms(cost)).reduce(0) { $0 + $1.0 * $1.1 }
  }
}

extension ApplyStride: FindingPattern {
  /// Returns the stride with the lowest mean time for each strided variant, and the cost model with the strides that it
  /// recommends for the requested overhead.
  ///
  /// If the run searches for the best stride, advice on the amount of work for a block precedes the other notes. The
  /// model and the advice require several cores, and are omitted if the trials ran on one core.
  func findings(in results: Results) -> [RunNote] {
    let sweeps = sweeps(in: results).filter { $0.runs.count > 1 }
    let advice = results.showGainOfCores ? advice(sweeps, in: results) : nil
    return (results.experiment.seeksBest ? [advice ?? noAdvice(sweeps, in: results)] : []).compactMap(\.self)
      + sweeps.flatMap { name, runs in
        [best(name, runs, in: results), results.showGainOfCores ? costModel(name, runs) : nil].compactMap(\.self)
      }
  }

  /// Returns advice on the amount of work for a block and on suitable strides, from the cost model of the fastest
  /// variant, for each number of cores in the sweep.
  ///
  /// Returns nil if the sweep varies anything other than the stride and the cores, or if no cost model fits.
  private func advice(_ sweeps: [(name: String, runs: [Run])], in results: Results) -> RunNote? {
    guard results.experiment.sweep.count(where: { $0.name != Cores.name }) == 1 else { return nil }
    let advice = sweeps.grouped { $0.runs.first?.cores }.compactMap { cores, sweeps in
      words(of: sweeps, in: results).map { (cores: cores, words: $0.says, runs: $0.runs) }
    }
    guard let first = advice.first else { return nil }
    guard results.experiment.sweep.count > 1 else { return RunNote(Conclusion.advice, first.words, runs: first.runs) }
    let says = advice.map { "With \(($0.cores ?? 0).counted("core")): \($0.words)" }
    return RunNote(Conclusion.advice, says.joined(separator: " "), runs: advice.flatMap(\.runs))
  }

  /// Returns a note on why there is no recommended stride for the user's own loop; nil if the user did not request one.
  private func noAdvice(_ sweeps: [(name: String, runs: [Run])], in results: Results) -> RunNote? {
    let runs = sweeps.flatMap(\.runs)
    guard let run = runs.first else { return nil }
    let (length, time) = (myIterations.value(in: run.parameters) ?? 0, myIteration.value(in: run.parameters) ?? .zero)
    guard length > 0 || time > .zero else { return nil }
    let reason = results.showGainOfCores ? "no cost model fits these trials" : "the trials did not have several cores"
    return RunNote(Conclusion.advice, "No stride for your own loop: \(reason).", runs: runs.map(\.label))
  }

  /// Returns advice for runs that differ only in variant and stride, and the labels of the runs with recommended
  /// strides; nil if no cost model fits.
  private func words(of sweeps: [(name: String, runs: [Run])], in results: Results) -> (says: String, runs: [String])? {
    let fastest = Ranking.lower.best(sweeps) { sweep in
      sweep.runs.compactMap { Ranking.typical($0.figures(elapsed.metric).map(\.value)) }.min()
    }
    guard let fastest, let run = fastest.runs.first, let percent = overhead.value(in: run.parameters),
      let model = StrideModel(fitting: fastest.runs.compactMap(cost)), model.fits
    else { return nil }
    let share = Double(percent) / 100
    guard let plain = plainLoop(of: fastest.runs), let strides = model.strides(forOverhead: share) else { return nil }
    let perIteration = plain / model.iterations
    func text(_ value: Double) -> String { Quantity(value, .nanoseconds).description }
    func advice(_ stride: Int, of each: Double) -> String {
      "Give a block at least \(text(Double(stride) * each)) of work, for at most \(percent) % overhead"
    }
    let says: String
    let (length, time) = (myIterations.value(in: run.parameters) ?? 0, myIteration.value(in: run.parameters) ?? .zero)
    if length > 0 || time > .zero {
      let iterations = length > 0 ? Double(length) : model.iterations
      let each = time > .zero ? Double(time.nanoseconds) : perIteration
      let loop = "\(Int(iterations).grouped) iterations of \(text(each))"
      let own = model.scaled(iterations: iterations, times: each / perIteration).strides(forOverhead: share)
      says =
        own.map { "For \(loop): \(advice($0.lowerBound, of: each)): \(Self.words($0, of: iterations))" }
        ?? "For \(loop) no stride keeps the overhead at \(percent) %: the loop is too short"
    } else {
      says = advice(strides.lowerBound, of: perIteration) + ": here \(Self.words(strides, of: model.iterations))"
    }
    let advised = fastest.runs.filter { run in cost(of: run).map { strides.contains($0.stride) } ?? false }
    return (says + ".", advised.map(\.label))
  }

  /// Returns the time of the plain loop in nanoseconds, computed from the times and the speed-ups of the strided loops;
  /// nil if no run recorded both a time and a speed-up.
  private func plainLoop(of runs: [Run]) -> Double? {
    let times = runs.compactMap { run -> Double? in
      guard let elapsed = median(elapsed, of: run), let speedup = median(speedup, of: run) else { return nil }
      return speedup * elapsed
    }
    return Summary(times).map(\.p50).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns a description of a range of strides, such as `stride 554 or more`.
  private static func words(_ strides: ClosedRange<Int>, of iterations: Double) -> String {
    Double(strides.upperBound) < iterations
      ? "stride \(strides.lowerBound.grouped) to \(strides.upperBound.grouped)"
      : "stride \(strides.lowerBound.grouped) or more"
  }

  /// Returns the measured runs, grouped by all settings except the stride, and a name for each group.
  func sweeps(in results: Results) -> [(name: String, runs: [Run])] {
    results.runs.filter { $0.point[stride.name] != nil && cost(of: $0) != nil }.grouped { run in
      let others = Point(run.point.settings.filter { $0.name != stride.name })
      return others.settings.isEmpty ? run.variant.name : "\(run.variant.name)[\(others.label)]"
    }.map { (name: $0.key, runs: $0.elements) }
  }

  private func best(_ name: String, _ runs: [Run], in results: Results) -> RunNote? {
    let best = Ranking.lower.best(runs) { run in Ranking.typical(run.trials.compactMap { $0.figure(elapsed.metric) }) }
    guard let best, let cost = cost(of: best) else { return nil }
    let cores = results.machine.confined(to: best.cores).cores
    let isWhole = iterations.value(in: best.parameters) == cost.stride
    var line = "\(name) has its best mean at stride \(cost.stride.grouped)\(isWhole ? " (the whole loop)" : "")"
    if results.showGainOfCores, cores > 1, let speedup = median(speedup, of: best) {
      line +=
        speedup < 1.05
        ? ", no faster than the plain loop (\(Quantity.fixed(speedup, decimals: 2))x)"
        : ", \(Quantity.fixed(speedup, decimals: 2)) times as fast as the plain loop, "
          + "\(Int((100 * speedup / Double(cores)).rounded())) % of the \(cores) cores"
    }
    return RunNote("best-stride", line, runs: [best.label])
  }

  private func costModel(_ name: String, _ runs: [Run]) -> RunNote? {
    guard let model = StrideModel(fitting: runs.compactMap(cost)),
      let percent = runs.first.flatMap({ overhead.value(in: $0.parameters) })
    else { return nil }
    return RunNote("cost-model", model.sentence(for: name, overhead: Double(percent) / 100), runs: runs.map(\.label))
  }

  private func cost(of run: Run) -> StrideModel.Cost? {
    guard let stride = stride.value(in: run.parameters), let elapsed = median(elapsed, of: run),
      let blocks = median(blocks, of: run)
    else { return nil }
    return StrideModel.Cost(stride: stride, blocks: blocks, elapsed: elapsed)
  }

  private func median<Sample>(_ measure: MetricKey<Sample>, of run: Run) -> Double? {
    Summary(run.trials.compactMap { $0.figure(measure.metric) })?.p50
  }
}
