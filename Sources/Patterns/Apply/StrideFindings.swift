import Instruments
import Measurement

/// Runs that differ only in the stride, with their cost model.
struct StrideSweep {
  /// The name of the variant, with the swept settings except the stride; for example, `apply[balance=ramp]`.
  let name: String
  let runs: [Run]
  /// The cost model; nil if there is an ``obstacle``, or if no model can be fitted to the costs.
  let model: StrideModel?
  /// The reason why no model was fitted; nil if nothing prevented a fit.
  let obstacle: String?
  /// A note that the model was fitted only to the trials with a second core; nil if all trials had a second core.
  let source: String?
}

extension ApplyStride: FindingPattern {
  /// Returns notes about each sweep of two or more strides: the stride with the lowest mean time, and the cost model
  /// with the strides that the model recommends for the setting ``overhead``.
  ///
  /// If the experiment searches for the best setting, the first note is advice about the amount of work for a block. If
  /// such advice is not available, the first note is about the measured blocks and the user's own loop. Each sweep
  /// without a cost model then has a note with the reason.
  func findings(in results: Results) -> [RunNote] {
    let sweeps = sweeps(in: results).filter { $0.runs.count > 1 }
    let seeksBest = results.experiment.seeksBest
    let advice = seeksBest ? advice(sweeps, in: results) ?? noAdvice(sweeps, in: results) : nil
    return [advice].compactMap(\.self)
      + sweeps.flatMap { sweep in
        [best(sweep, in: results)].compactMap(\.self) + costModel(sweep, givesReason: seeksBest)
      }
  }

  /// Returns a note with advice for each number of cores in the sweep. The advice contains the amount of work for a
  /// block, and suitable strides. The advice is based on the fastest variant whose cost model fits.
  ///
  /// Returns nil if the sweep varies anything other than the stride and the cores, if no cost model fits, or if the
  /// time of the plain loop is not known.
  private func advice(_ sweeps: [StrideSweep], in results: Results) -> RunNote? {
    guard results.experiment.sweep.count(where: { $0.name != Cores.name }) == 1 else { return nil }
    let advice = sweeps.grouped { $0.runs.first?.cores }.compactMap { cores, sweeps in
      words(of: sweeps).map { (cores: cores, words: $0.says, runs: $0.runs) }
    }
    guard let first = advice.first else { return nil }
    guard results.experiment.sweep.count > 1 else { return RunNote(Conclusion.advice, first.words, runs: first.runs) }
    let says = advice.map { "With \(($0.cores ?? 0).counted("core")): \($0.words)" }
    return RunNote(Conclusion.advice, says.joined(separator: " "), runs: advice.flatMap(\.runs))
  }

  /// Returns a note with advice that no cost model supports; nil if no run was measured, or if the user described no
  /// loop and no advice can be given.
  ///
  /// The note contains the amount of work of the fastest measured blocks. If the user described a loop, the note
  /// contains the strides of this loop whose blocks have as much work, or the reason why no strides can be computed.
  private func noAdvice(_ sweeps: [StrideSweep], in results: Results) -> RunNote? {
    let runs = sweeps.flatMap(\.runs)
    guard let run = runs.first else { return nil }
    let measured = fastest(sweeps).flatMap(measuredAdvice)
    guard isAboutOwnLoop(run) else {
      // Other swept settings change the amount of work of a block.
      return results.experiment.sweep.count == 1
        ? measured.map { RunNote(Conclusion.advice, $0, runs: runs.map(\.label)) } : nil
    }
    let reason =
      sweeps.contains { $0.model?.fits == true }
      ? "to get advice, compare only strides, or strides and cores" : sweeps.compactMap(\.obstacle).first
    let says =
      reason.map { "No stride for your own loop: \($0)." } ?? measured
      ?? "No stride for your own loop: no cost model fits these trials."
    return RunNote(Conclusion.advice, says, runs: runs.map(\.label))
  }

  /// Returns the amount of work of the fastest measured blocks as text, with the strides of the user's own loop whose
  /// blocks have as much work, if the user described a loop; nil if the time of an iteration is not known.
  ///
  /// The fastest measured blocks are those of the best stride, and of each stride that is slower than the best stride
  /// by at most the fraction ``ConfidenceInterval/alikeDifference``, even at the upper end of the confidence interval.
  private func measuredAdvice(_ sweep: StrideSweep) -> String? {
    guard let run = sweep.runs.first, let plain = plainLoop(of: sweep.runs),
      let iterations = iterations.value(in: run.parameters), iterations > 0,
      let best = Ranking.lower.best(sweep.runs, by: mean)
    else { return nil }
    let comparisons = ConfidenceInterval.comparisons(of: sweep.runs.count, withBest: true)
    let near = sweep.runs.filter { run in
      let interval = run.rounds(with: best, of: elapsed).interval(among: comparisons)
      return run.label == best.label || interval.map { $0.high <= 1 + ConfidenceInterval.alikeDifference } == true
    }.compactMap { stride.value(in: $0.parameters) }.sorted()
    guard let low = near.first, let high = near.last else { return nil }
    let each = plain / Double(iterations)
    func range(_ ends: [String]) -> String { ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])" }
    let work = range([low, high].map { Quantity(Double($0) * each, .nanoseconds).description })
    guard isAboutOwnLoop(run) else { return "The fastest blocks have \(work) of work each." }
    let own = myIteration.value(in: run.parameters) ?? .zero
    let scale = own > .zero ? each / Double(own.nanoseconds) : 1
    let length = myIterations.value(in: run.parameters) ?? 0
    let strides = [low, high].map { stride in
      min(max(1, Int((Double(stride) * scale).rounded())), length > 0 ? length : iterations)
    }
    return "No cost model fits these trials. Blocks with \(work) of work were the fastest, which is stride "
      + "\(range(strides.map(\.withCommas))) of your own loop; measure the loop to confirm the advice."
  }

  /// Returns whether the user described a loop: whether the setting ``myIterations`` or ``myIteration`` of `run` is
  /// above 0.
  private func isAboutOwnLoop(_ run: Run) -> Bool {
    (myIterations.value(in: run.parameters) ?? 0) > 0 || (myIteration.value(in: run.parameters) ?? .zero) > .zero
  }

  /// Returns advice for runs that differ only in variant and stride, and the labels of the runs with recommended
  /// strides; nil if no cost model fits, or if the time of the plain loop is not known.
  private func words(of sweeps: [StrideSweep]) -> (says: String, runs: [String])? {
    guard let chosen = fastest(sweeps.filter { $0.model?.fits == true }), let model = chosen.model,
      let run = chosen.runs.first, let percent = overhead.value(in: run.parameters),
      let plain = plainLoop(of: chosen.runs), model.iterations > 0
    else { return nil }
    let share = Double(percent) / 100
    let perIteration = plain / model.iterations
    let length = myIterations.value(in: run.parameters) ?? 0
    let time = myIteration.value(in: run.parameters) ?? .zero
    let iterations = length > 0 ? Double(length) : model.iterations
    let each = time > .zero ? Double(time.nanoseconds) : perIteration
    let isOwn = isAboutOwnLoop(run)
    let loop = isOwn ? "For \(Int(iterations).withCommas) iterations of \(Quantity(each, .nanoseconds)): " : ""
    let asked = isOwn ? model.scaled(iterations: iterations, times: each / perIteration) : model
    var says: String
    switch asked.recommendation(forOverhead: share) {
    case .strides(let strides):
      let least = Int((iterations / Double(strides.upperBound)).rounded(.up))
      says =
        "Give a block at least \(Quantity(Double(strides.lowerBound) * each, .nanoseconds)) of work"
        + (least > 1 ? ", and make at least \(least.withCommas) blocks" : "")
        + ", \(asked.limit(share))"
        // The answer already has strides of the measured loop, namely the best ones of the table.
        + (isOwn ? ": \(asked.words(strides))" : "")
    case .smallest:
      let words = asked.words(forOverhead: share)
      says = isOwn ? words : words.prefix(1).uppercased() + words.dropFirst()
    }
    // The model of a slower variant is better than no model.
    if let first = fastest(sweeps), first.name != chosen.name {
      says += " (by the cost model of \(chosen.name); none fits \(first.name))"
    }
    let advised = chosen.runs.filter { run in
      guard case .strides(let strides) = model.recommendation(forOverhead: share) else { return false }
      return cost(of: run).map { strides.contains($0.stride) } ?? false
    }
    return (loop + says + ".", advised.map(\.label))
  }

  private func mean(of run: Run) -> Double? { Ranking.typical(run.figures(elapsed.metric).map(\.value)) }

  private func fastest(_ sweeps: [StrideSweep]) -> StrideSweep? {
    Ranking.lower.best(sweeps) { $0.runs.compactMap(mean).min() }
  }

  /// Returns the time of the plain loop in nanoseconds, computed from the times and the speed-ups of the strided loops;
  /// nil if no run recorded both a time and a speed-up above 0.
  private func plainLoop(of runs: [Run]) -> Double? {
    let times = runs.compactMap { run -> Double? in
      guard let elapsed = median(elapsed, of: run), let speedup = median(speedup, of: run) else { return nil }
      return speedup * elapsed
    }
    return Summary(times).map(\.p50).flatMap { $0 > 0 ? $0 : nil }
  }

  // MARK: The sweeps

  /// Returns the measured runs, grouped by the variant and by all swept settings except the stride.
  private func sweeps(in results: Results) -> [StrideSweep] {
    results.runs.filter { $0.point[stride.name] != nil && !$0.figures(elapsed.metric).isEmpty }.grouped { run in
      let others = Point(run.point.settings.filter { $0.name != stride.name })
      return others.settings.isEmpty ? run.variant.name : "\(run.variant.name)[\(others.label)]"
    }.map { sweep($0.key, $0.elements, in: results) }
  }

  private func sweep(_ name: String, _ runs: [Run], in results: Results) -> StrideSweep {
    let obstacle = obstacle(to: runs, on: results.machine)
    let cores = results.machine.confined(to: runs.first?.cores).cores
    let model = obstacle == nil ? StrideModel(fitting: runs.compactMap(cost), cores: cores) : nil
    let (all, used) = (runs.flatMap(\.trials).count, runs.map { usable($0).count }.reduce(0, +))
    let source = used < all ? "from the \(used.withCommas) of \(all.withCommas) trials that had a second core" : nil
    return StrideSweep(name: name, runs: runs, model: model, obstacle: obstacle, source: source)
  }

  /// Returns the reason why no model can be fitted to the runs; nil if nothing prevents a fit.
  private func obstacle(to runs: [Run], on machine: Machine) -> String? {
    if machine.usedCores == 1 { return "the trials had only one core" }
    guard runs.count >= StrideModel.fewestStrides else { return "a cost model needs four strides" }
    let fewest = runs.filter { usable($0).count < $0.trials.count }.min { usable($0).count < usable($1).count }
    guard let run = fewest, usable(run).count < ConfidenceInterval.fewest,
      let stride = stride.value(in: run.parameters)
    else { return nil }
    return
      "\(usable(run).count) of \(run.trials.count.counted("trial")) at stride \(stride.withCommas) had a second "
      + "core, and \(ConfidenceInterval.fewest) are needed at each stride"
  }

  /// Returns the trials of `run` that had a second core. A loop without a second core has different costs.
  private func usable(_ run: Run) -> [TrialRecord] { run.trials.filter { !$0.shortages.contains(Cores.second) } }

  private func cost(of run: Run) -> StrideModel.Cost? {
    guard let stride = stride.value(in: run.parameters), let elapsed = median(elapsed, of: run),
      let blocks = median(blocks, of: run)
    else { return nil }
    let rounds = usable(run).compactMap { trial in
      trial.figure(self.elapsed.metric).map { (trial.round, $0) }
    }
    return StrideModel.Cost(
      stride: stride, blocks: blocks, elapsed: elapsed,
      rounds: Dictionary(rounds, uniquingKeysWith: { first, _ in first }))
  }

  private func median<Sample>(_ measure: MetricKey<Sample>, of run: Run) -> Double? {
    Summary(usable(run).compactMap { $0.figure(measure.metric) })?.p50
  }

  // MARK: The findings of a sweep

  private func best(_ sweep: StrideSweep, in results: Results) -> RunNote? {
    let best = Ranking.lower.best(sweep.runs) { run in
      Ranking.typical(run.trials.compactMap { $0.figure(elapsed.metric) })
    }
    guard let best, let stride = stride.value(in: best.parameters) else { return nil }
    let cores = results.machine.confined(to: best.cores).cores
    let isWhole = iterations.value(in: best.parameters) == stride
    var line = "\(sweep.name) has its best mean at stride \(stride.withCommas)\(isWhole ? " (the whole loop)" : "")"
    if results.showGainOfCores, cores > 1, let speedup = median(speedup, of: best) {
      line +=
        speedup < 1.05
        ? ", no faster than the plain loop (\(Quantity.fixed(speedup, decimals: 2))x)"
        : ", \(Quantity.fixed(speedup, decimals: 2)) times as fast as the plain loop, "
          + "\(Int((100 * speedup / Double(cores)).rounded())) % of the \(cores) cores"
    }
    return RunNote("best-stride", line, runs: [best.label])
  }

  /// Returns notes that describe the cost model of a sweep.
  ///
  /// - Parameter givesReason: whether the result for a sweep without a model is a note with the reason. If false, that
  ///   result is empty.
  private func costModel(_ sweep: StrideSweep, givesReason: Bool) -> [RunNote] {
    let labels = sweep.runs.map(\.label)
    guard let model = sweep.model, let percent = sweep.runs.first.flatMap({ overhead.value(in: $0.parameters) }) else {
      guard givesReason else { return [] }
      let reason = sweep.obstacle ?? "no terms fit the times of these strides"
      return [RunNote("cost-model", "no cost formula for \(sweep.name): \(reason)", runs: labels)]
    }
    var sentences = model.sentences(for: sweep.name, overhead: Double(percent) / 100)
    if let source = sweep.source { sentences[0] += "; \(source)" }
    return sentences.map { RunNote("cost-model", $0, runs: labels) }
  }
}
