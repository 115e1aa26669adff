import Instruments
import Measurement

/// Runs that differ only in the stride, with their cost model.
struct StrideSweep {
  /// The name of the variant, with the swept settings except the stride; for example, `apply[balance=ramp]`.
  let name: String
  let runs: [VariantRun]
  /// The cost model; nil if there is an ``obstacle``, or if no model can be fitted to the costs.
  let model: StrideModel?
  /// The reason why no model was fitted; nil if nothing prevented a fit.
  let obstacle: String?
  /// A note that the model was fitted only to the trials with a second core; nil if all trials had a second core.
  let source: String?
}

extension ApplyStride: FindingPattern {
  /// Returns notes about each sweep of two or more strides: the stride with the lowest mean time, and the formula of
  /// the cost model.
  ///
  /// If the experiment searches for the best setting, the first notes translate the best strides into blocks and into
  /// strides of the user's own loop. The reason why there is no cost model is a note only if the comparison has one
  /// sweep.
  func findings(in results: Results) -> [RunNote] {
    let isComparison = results.experiment.isComparison
    let sweeps = sweeps(in: results).filter { $0.runs.count > 1 }
    return (isComparison ? advice(in: results) : [])
      + sweeps.flatMap { sweep in
        let isOneOfMany = isComparison && sweeps.count > 1 && sweep.model?.fits != true
        // A reader who compares a few strides does not ask for a formula.
        let showsModel = sweep.runs.count >= StrideModel.fewestStrides && !isOneOfMany
        return [best(sweep, in: results)].compactMap(\.self)
          + (showsModel ? costModel(sweep, givesReason: isComparison) : [])
      }
  }

  // MARK: The best strides, for other loops

  /// Returns a note for each best run of the comparison. The note states the number of blocks into which the best
  /// strides divide the loop, and the work of one block. If the user described a loop (``myIterations``,
  /// ``myIteration``), the note states the strides of that loop instead.
  ///
  /// If the comparison varies anything other than strides and cores, the blocks of its runs are not comparable. The
  /// result is then empty, or a note with the reason if the user described a loop.
  private func advice(in results: Results) -> [RunNote] {
    let isAboutOwnLoop = results.runs.first.map(self.isAboutOwnLoop) ?? false
    func note(_ says: String, _ runs: [VariantRun]) -> RunNote {
      RunNote(isAboutOwnLoop ? Conclusion.ownAnswer : Conclusion.advice, says, runs: runs.map(\.label))
    }
    let varied = results.experiment.sweep.filter { $0.values.count > 1 || $0.name == stride.name }.map(\.name)
    guard varied.filter({ $0 != Cores.name }) == [stride.name] else {
      return isAboutOwnLoop
        ? [note("No stride for your loop: to get one, sweep only stride, or stride and cores.", results.runs)] : []
    }
    let comparison = Comparison(results.runs, .init(results.experiment), by: elapsed.metric)
    let notes = comparison.bests.sorted().compactMap { best -> RunNote? in
      let better = comparison.runs(betterThan: best).first { results.runs[$0].variant.role != .broken }
      let run = results.runs[isAboutOwnLoop ? better ?? best : best]
      guard run.point[stride.name] != nil else {
        return isAboutOwnLoop ? note("No stride for your loop: \(run.label), without strides, is best.", [run]) : nil
      }
      let good = goodRuns(around: best, comparison, results.runs)
      let hasIntervals = comparison.runs(competingWith: best).allSatisfy {
        comparison.contrastsWithBest[$0].map { $0.interval != nil } ?? true
      }
      let isDecided = !isAboutOwnLoop || !good.isEmpty && hasIntervals
      // Who describes a loop asks for a stride, even for one that is not certain.
      let used = good.isEmpty && isAboutOwnLoop ? [run] : good
      guard let says = words(about: used) else { return nil }
      let cores = run.cores.map { "With \($0.counted("core")): " } ?? ""
      let doubt = isDecided ? "" : "By the best mean so far, since the rounds do not decide: "
      let beginning = cores.isEmpty ? doubt : cores + doubt.prefix(1).lowercased() + doubt.dropFirst()
      return note(beginning.isEmpty ? says : beginning + says.prefix(1).lowercased() + says.dropFirst(), used)
    }
    return notes.isEmpty && isAboutOwnLoop
      ? [
        note(
          comparison.bests.isEmpty
            ? "No stride for your loop: to get one, compare several strides."
            : "No stride for your loop: the time of an iteration was not measured.", results.runs)
      ] : notes
  }

  /// Returns the best run and the runs of the same variant around it that are as good, sorted by their strides; an
  /// empty array if the rounds do not decide which run is the best.
  private func goodRuns(around best: Int, _ comparison: Comparison, _ all: [VariantRun]) -> [VariantRun] {
    func isGood(_ run: Int) -> Bool { run == best || comparison.isNearBest(run) }
    let runs = all.indices.filter { run in
      all[run].variant == all[best].variant && all[run].cores == all[best].cores
    }.sorted { strideOf(all[$0]) ?? 0 < strideOf(all[$1]) ?? 0 }
    guard let place = runs.firstIndex(of: best) else { return [] }
    let good = runs[..<place].reversed().prefix(while: isGood).reversed() + runs[place...].prefix(while: isGood)
    let group = all.indices.filter { all[$0].cores == all[best].cores }
    return good.count == 1 && group.contains(where: comparison.undecided.contains) ? [] : good.map { all[$0] }
  }

  /// Returns a sentence about the blocks of the good runs, or about the strides of the user's own loop; nil if there
  /// are no good runs, or if the time of an iteration is not known.
  private func words(about good: [VariantRun]) -> String? {
    guard let first = good.first, let last = good.last, let low = strideOf(first), let high = strideOf(last),
      let count = iterations.value(in: first.parameters), count > 0, let plain = plainLoop(of: good)
    else { return nil }
    func range(_ low: String, _ high: String) -> String { low == high ? low : "\(low) to \(high)" }
    func time(_ nanoseconds: Double) -> String { Quantity(nanoseconds, .nanoseconds).description }
    let each = plain / Double(count)
    let work = [low, high].map { Double(min($0, count)) * each }
    // A rest that is shorter than a stride counts as a block, as in the metric `blocks`.
    let blocks = [high, low].map { (count - 1) / $0 + 1 }
    guard isAboutOwnLoop(first) else {
      return
        "Stride \(range(low.withCommas, high.withCommas)) makes \(range(blocks[0].withCommas, blocks[1].withCommas)) "
        + "\(blocks[1] == 1 ? "block" : "blocks") with \(range(time(work[0]), time(work[1]))) of work each, since an "
        + "iteration of the plain loop took \(time(each))\(balance.value(in: first.parameters) == .uniform ? "" : " on average")."
    }
    let own = myIteration.value(in: first.parameters).map { Double($0.nanoseconds) } ?? 0
    let ownEach = own > 0 ? own : each
    let length = myIterations.value(in: first.parameters) ?? 0
    let ownCount = length > 0 ? length : count
    let least = max(1, Int((work[0] / ownEach).rounded(.up)))
    let most = ownCount / blocks[0]
    let loop = "For your loop of \(ownCount.withCommas) iterations of \(time(ownEach))"
    let rule = "at least \(time(work[0])) of work in a block, and at least \(blocks[0].withCommas) blocks"
    let source = "stride \(range(low.withCommas, high.withCommas)), \(time(each)) an iteration"
    return least > most
      ? "\(loop), \(time(Double(ownCount) * ownEach)) in all: too short for \(rule); a plain loop may be as fast."
      : "\(loop): use stride \(range(least.withCommas, most.withCommas)), which is \(rule), as in the best measured loops (\(source))."
  }

  private func strideOf(_ run: VariantRun) -> Int? { stride.value(in: run.parameters) }

  /// Returns whether the user described a loop: whether the setting ``myIterations`` or ``myIteration`` of `run` is
  /// above 0.
  private func isAboutOwnLoop(_ run: VariantRun) -> Bool {
    (myIterations.value(in: run.parameters) ?? 0) > 0 || (myIteration.value(in: run.parameters) ?? .zero) > .zero
  }

  /// Returns the time of the plain loop in nanoseconds, computed from the times and the speed-ups of the strided loops;
  /// nil if no run recorded both a time and a speed-up above 0.
  private func plainLoop(of runs: [VariantRun]) -> Double? {
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

  private func sweep(_ name: String, _ runs: [VariantRun], in results: Results) -> StrideSweep {
    let obstacle = obstacle(to: runs, on: results.machine)
    let model = obstacle == nil ? StrideModel(fitting: runs.compactMap(cost)) : nil
    let (all, used) = (runs.flatMap(\.trials).count, runs.map { usable($0).count }.reduce(0, +))
    let source = used < all ? "from the \(used.withCommas) of \(all.withCommas) trials that had a second core" : nil
    return StrideSweep(name: name, runs: runs, model: model, obstacle: obstacle, source: source)
  }

  /// Returns the reason why no model can be fitted to the runs; nil if nothing prevents a fit.
  private func obstacle(to runs: [VariantRun], on machine: Machine) -> String? {
    if machine.confined(to: runs.first?.cores).usedCores == 1 { return "the trials had only one core" }
    let least = runs.map(\.trials.count).min() ?? 0
    guard least >= ConfidenceInterval.fewest else {
      return "a stride has only \(least.counted("round")), and \(ConfidenceInterval.fewest) are needed"
    }
    let fewest = runs.filter { usable($0).count < $0.trials.count }.min { usable($0).count < usable($1).count }
    guard let run = fewest, usable(run).count < ConfidenceInterval.fewest,
      let stride = stride.value(in: run.parameters)
    else { return nil }
    return
      "\(usable(run).count) of \(run.trials.count.counted("trial")) at stride \(stride.withCommas) had a second "
      + "core, and \(ConfidenceInterval.fewest) are needed at each stride"
  }

  /// Returns the trials of `run` that had a second core. A loop without a second core has different costs.
  private func usable(_ run: VariantRun) -> [TrialRecord] { run.trials.filter { !$0.shortages.contains(Cores.second) } }

  private func cost(of run: VariantRun) -> StrideModel.Cost? {
    let rounds = usable(run).compactMap { trial in
      trial.figure(elapsed.metric).map { (trial.round, $0) }
    }
    guard let stride = strideOf(run), let mean = Ranking.typical(rounds.map(\.1)), let blocks = median(blocks, of: run)
    else { return nil }
    return StrideModel.Cost(
      stride: stride, blocks: blocks, elapsed: mean,
      rounds: Dictionary(firstOf: rounds))
  }

  private func median<Sample>(_ measure: MetricKey<Sample>, of run: VariantRun) -> Double? {
    Summary(usable(run).compactMap { $0.figure(measure.metric) })?.p50
  }

  // MARK: The findings of a sweep

  /// The smallest speed-up that counts as a gain.
  private static let gain = 1.05

  private func best(_ sweep: StrideSweep, in results: Results) -> RunNote? {
    let best = Ranking.lower.best(sweep.runs) { run in
      Ranking.typical(run.trials.compactMap { $0.figure(elapsed.metric) })
    }
    guard let best, let stride = stride.value(in: best.parameters) else { return nil }
    let cores = results.machine.confined(to: best.cores).cores
    let isWhole = iterations.value(in: best.parameters) == stride
    var line = "\(sweep.name) has its best mean at stride \(stride.withCommas)\(isWhole ? " (the whole loop)" : "")"
    // The mean of the rounds is also the figure of the tables.
    if results.showsGainOfCores, cores > 1,
      let speedup = Ranking.typical(usable(best).compactMap { $0.figure(speedup.metric) })
    {
      line +=
        speedup < Self.gain
        ? ", no faster than the plain loop (\(Quantity.fixed(speedup, decimals: 2))x)"
        : ", \(Quantity.fixed(speedup, decimals: 2)) times as fast as the plain loop, "
          + "\(Int((100 * speedup / Double(cores)).rounded())) % of the \(cores) cores"
    }
    return RunNote(RunNote.bestStride, line, runs: [best.label])
  }

  /// Returns words about the cost of a block at the smallest stride, in place of a model that does not fit: `; stride 1
  /// takes 11.1 ms longer than stride 256, 69.4 ns for each of its further blocks`. Returns an empty string if the
  /// smallest stride is the best, or has no more blocks.
  private func costOfBlock(_ sweep: StrideSweep) -> String {
    let costs = sweep.runs.compactMap(cost)
    guard let first = costs.min(by: { $0.stride < $1.stride }), let best = costs.min(by: { $0.elapsed < $1.elapsed }),
      first.elapsed > best.elapsed, first.blocks > best.blocks
    else { return "" }
    let longer = first.elapsed - best.elapsed
    return "; stride \(first.stride.withCommas) takes \(Quantity(longer, .nanoseconds)) longer than stride "
      + "\(best.stride.withCommas), \(Quantity(longer / (first.blocks - best.blocks), .nanoseconds)) for each of its "
      + "further blocks"
  }

  /// Returns a note with the cost model of a sweep, or with the result that no model fits. If no model was fitted, the
  /// note states the reason if `givesReason` is true, and the result is empty otherwise.
  private func costModel(_ sweep: StrideSweep, givesReason: Bool) -> [RunNote] {
    let source = sweep.source.map { "; \($0)" } ?? ""
    let reason = givesReason ? sweep.obstacle ?? "no terms fit the times of these strides" : nil
    let says =
      sweep.model.map {
        $0.sentence(for: sweep.name, after: sweep.runs.map(\.trials.count).max() ?? 0)
          + ($0.isRejected ? costOfBlock(sweep) : "") + source
      }
      ?? reason.map { "no cost formula for \(sweep.name): \($0)" }
    return [says].compactMap(\.self).map { RunNote("cost-model", $0, runs: sweep.runs.map(\.label)) }
  }
}
