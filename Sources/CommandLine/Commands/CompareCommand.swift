import ArgumentParser
import Laboratory
import Measurement
import Platform
import Reporting

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare settings: sweep parameters of a scenario and find the best.",
    discussion: """
      A sweep is NAME=VALUES: a list (stride=1,4,16), a range (threads=1..8), a range with a factor (stride=1..4096:x4) \
      or a step (work=10ns..100ns:+10ns). Several sweeps make a grid. In each round, every variant runs once at each \
      setting, in shuffled order. The comparison ends once the ratios not certainly above 2x are known to --precision, but not before 3 to 10 s \
      (depending on the number of settings), and at the latest after --time (30s by default, 20s with --quick). If six rounds need more, a default becomes up to four times as long; a \
      time of yours does not, and the report says that nothing is ranked. A setting that is certainly twice as slow as the best \
      setting runs only in every fourth round, unless settings may fail. A yardstick is only for comparison, so ratios refer to the best of the \
      other variants.

      The report ends with the answer: which settings are best, and how much worse the other settings are. For strides, \
      the findings include the cost of a block as a formula, if one fits. With `--set my-iteration=15ns --set my-iterations=1M`, the \
      answer recommends a stride for your own loop.

      `\(Tool.command) explain NAME` describes the variants and the settings of a scenario.

      \(examples(Lab.exampleComparisons))
      """)

  @Argument(help: "A scenario's name or a .yml file.", completion: .custom { _, _, _ in Completions.scenarios })
  var name: String

  @Argument(
    help: ArgumentHelp(
      "The sweeps, as in stride=1..4096:x4 (default: the sweeps of the scenario; if it has none, its variants are compared at one setting).",
      valueName: "name=values"),
    completion: .custom { words, _, word in Completions.settings(words, word) })
  var sweeps: [String] = []

  @Option(
    help: "Compare by this metric instead of the scenario's first.",
    completion: .custom { words, _, _ in Completions.metrics(words) })
  var metric: String?

  @Option(
    help: ArgumentHelp(
      "Stop a trial that takes longer, and do not run its variant at that setting again. A stopped trial does not count as a failure (default: a tenth of --time, at least 500ms, and more if time is left at the end; a trial that the default stops is not judged).",
      valueName: "duration"))
  var trialTime: String?

  @OptionGroup(title: "What to run") var run: RunOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if let trialTime { _ = try Duration(option: "--trial-time", trialTime) }
  }

  func run() async throws {
    var plan = Plan(try experiment(), budget: try budget(), seed: run.seed.orRandom)
    if run.rounds == nil { plan.budget.shortestTime = Self.shortestTime(of: plan.runs.count) }
    try output.requireNames([plan.experiment.name])
    if let reason = Self.whyUnranked(plan) { Lab.printMessage(reason) }
    // Runs with settings of the command line are stored as well, since only runs with the same settings are compared.
    let session = output.session(
      try output.rendering.exports.files(),
      keeps: Lab.library.names.contains(name),
      limitsTrialTime: trialTime != nil)
    try await session.runAndReport { [plan] runner, progress in
      if plan.runs.count >= Self.manyRuns, let each = try await runner.timeOfWorker() {
        Lab.printMessage(Self.forecast(plan, each))
      }
      return [try await runner.run(plan, observer: progress)]
    }
  }

  /// Returns the shortest time of a comparison of `runs` runs: half a second for each run, from 3 to 10 s. The
  /// intervals of all runs share the confidence, so a comparison of more runs needs more rounds.
  private static func shortestTime(of runs: Int) -> Duration {
    min(max(.seconds(3), .milliseconds(500) * runs), .seconds(10))
  }

  /// The minimum number of runs for which the lab prints a forecast of the time before the first trial.
  private static let manyRuns = 100

  /// Returns the reason why a comparison cannot rank its settings, or ranks them by noise; nil if there is no such
  /// reason.
  private static func whyUnranked(_ plan: Plan) -> String? {
    guard plan.runs.count > 1 else {
      return "one variant with one setting is measured, and compared with nothing; give more values or more variants"
    }
    guard let metric = plan.experiment.headline else { return nil }
    if metric.better == .neither {
      return "the settings are not ranked: neither a higher nor a lower `\(metric.name)` is better"
    }
    return whyIndependent(of: metric, in: plan.experiment).map { "\($0): its values differ by noise only" }
  }

  /// Returns the statement that no swept parameter affects `metric`; nil if a swept parameter may affect the metric.
  private static func whyIndependent(of metric: Metric, in experiment: Experiment) -> String? {
    experiment.isAffected(metric)
      ? nil : "\(metric.name) does not depend on \(experiment.sweep.map(\.name).listed())"
  }

  /// Returns a message with the minimum time that a grid requires: the measured time to start and end a worker, for
  /// each trial of the required rounds.
  private static func forecast(_ plan: Plan, _ each: Duration) -> String {
    let rounds = plan.budget.fewestRounds ?? plan.budget.rounds
    let trials = plan.runs.count * rounds
    let limit = plan.budget.time.map { "; --time is \(Quantity($0))" } ?? ""
    return
      "\(rounds.counted("round")) of \(plan.runs.count) trials: \(trials) trials take \(Quantity(each * trials)) for their workers "
      + "alone (\(Quantity(each)) each), in addition to the time of their bodies\(limit)"
  }

  /// Returns a sweep of cores without the values that exceed this machine's number of cores, and prints the omitted
  /// values. If every value exceeds this number, the sweep is unchanged, and the report states why no trial was run.
  ///
  /// - Throws: ``InputError`` if a single value of several is left, although the machine has several cores.
  private func withoutMissingCores(_ sweep: Sweep) throws(InputError) -> Sweep {
    guard sweep.name == Cores.name else { return sweep }
    let (kept, missing) = Self.cores(sweep.values, of: Host.cores)
    guard let missing else { return sweep }
    guard kept.count > 1 || Host.cores == 1 else {
      throw InputError("cores: this machine has \(Host.cores): give two values that it has, as in cores=1,all")
    }
    Lab.printMessage(missing)
    return Sweep(sweep.name, kept)
  }

  /// Returns the values up to `most`, the machine's number of cores, and a remark on the other values. If no value
  /// exceeds `most`, or if every value does, the values are unchanged and the remark is nil.
  static func cores(_ values: [ParameterValue], of most: Int) -> (kept: [ParameterValue], missing: String?) {
    let kept = values.filter { $0.integer.map { $0 <= most } ?? true }
    let missing = values.compactMap(\.integer).filter { $0 > most }.sorted()
    guard !kept.isEmpty, let first = missing.first, let last = missing.last else { return (values, nil) }
    let isRange = missing.count > 2 && last - first + 1 == missing.count
    let names = isRange ? "\(first) to \(last)" : missing.map(String.init).joined(separator: ", ")
    return (kept, "cores \(names) left out: this machine has \(most)")
  }

  private func experiment() throws(InputError) -> Experiment {
    // Only the scenario's claims use the scenario's baseline. A comparison refers to the best setting, unless the
    // options name a baseline.
    var experiment = try Lab.library.experiment(name).applying(run.overrides)
    if let own = experiment.baseline, run.baseline == nil, name.isScenarioFile {
      Lab.printMessage(
        "ratios are to the best mean, not to the baseline of \(name); --baseline \(own) compares with it")
    }
    experiment.baseline = run.baseline
    if let metric {
      guard experiment.pattern.metric(metric) != nil else {
        let known = (experiment.pattern.metrics + Metric.costs).map(\.name)
        throw .unknown("metric", metric, of: experiment.name, at: "--metric", known: known)
      }
      experiment = experiment.showing(first: metric)
    }
    do throws(InputError) {
      return rankedByDefault(try experiment.sweeping(try sweep(of: experiment)))
    } catch { throw error.at("compare") }
  }

  /// Returns the sweeps of the command, or those of `experiment` if the command has none, without the values that add
  /// nothing.
  private func sweep(of experiment: Experiment) throws(InputError) -> [Sweep] {
    let parser = SweepParser(experiment.pattern)
    var given: [Sweep] = []
    for text in sweeps { given.append(try parser.sweep(text)) }
    let fixed =
      run.settings.map { (name: String($0.prefix { $0 != "=" }), option: "--set \($0)") }
      + (run.confinement.cores.map { [(name: Cores.name, option: "--cores \($0)")] } ?? [])
    if let both = fixed.first(where: { fixed in given.contains { $0.name == fixed.name } }) {
      throw InputError("'\(both.name)' is swept, and set by \(both.option): leave one of them out")
    }
    let all = given.isEmpty ? experiment.sweep : given
    if all.isEmpty {
      let examples = "NAME=VALUES, as in \(experiment.exampleSweeps.joined(separator: " or "))"
      guard experiment.variants.count(where: { $0.role != .broken }) > 1 else {
        throw InputError("\(experiment.name) sweeps nothing by itself: give \(examples)")
      }
      Lab.printMessage("no sweep: the variants are compared at one setting; to sweep, give \(examples)")
    }
    // The user may expect the sweeps of the scenario beside those of the command.
    let replaced = experiment.sweep.filter { own in
      !all.contains { $0.name == own.name } && !fixed.contains { $0.name == own.name }
        && experiment.variants.contains { !$0.ignores.contains(own.name) }
    }
    if !replaced.isEmpty {
      let texts = replaced.compactMap { own in
        experiment.pattern.parameter(own.name).map {
          "\(own.name) is \($0.describe(experiment.parameters[own.name] ?? $0.standard))"
        }
      }
      Lab.printMessage("\(texts.listed()): the scenario's own sweep is used only if the command has none")
    }
    return try all.map { sweep throws(InputError) in
      experiment.withoutEquals(try withoutMissingCores(sweep), among: all)
    }
  }

  /// Returns `experiment` with the metric that ranks its settings as the headline metric, unless `--metric` names the
  /// headline metric. Prints the reason if the scenario's own headline metric cannot rank the settings.
  private func rankedByDefault(_ experiment: Experiment) -> Experiment {
    guard metric == nil, let headline = experiment.headline, let ranking = experiment.rankingMetric, ranking != headline
    else { return experiment }
    let reason =
      Self.whyIndependent(of: headline, in: experiment)
      ?? (headline.better == .neither ? "neither a higher nor a lower `\(headline.name)` is better" : nil)
    if let reason { Lab.printMessage("\(reason), so the settings are ranked by \(ranking.name)") }
    return experiment.showing(first: ranking.name)
  }

  private func budget() throws -> Budget {
    // A time that the user gave is used for a precise answer, also by a quick run.
    let isQuick = run.quick && run.time == nil
    var budget = try run.budget(
      precision: isQuick ? Budget.quickComparisonPrecision : Budget.comparisonPrecision,
      time: isQuick ? Budget.quickComparisonTime : Budget.comparisonTime)
    budget.timeLeft = budget.time
    budget.fewestRounds = min(budget.rounds, ConfidenceInterval.fewest)
    // A time that the user gave is a promise, even if few rounds fit into it.
    if run.time == nil { budget.longestTime = budget.time.map { $0 * Budget.mostExtension } }
    budget.trialTime =
      try trialTime.map { try Duration(option: "--trial-time", $0) }
      ?? budget.time.map { max($0 / 10, .milliseconds(500)) }
    budget.retriesStopped = trialTime == nil
    return budget
  }
}

extension Experiment {
  /// Returns a sweep without the values that have the same effect as a smaller value in the sweep. Prints the omitted
  /// values.
  ///
  /// - Parameter all: the sweeps of the comparison. A parameter that is swept has no fixed value.
  fileprivate func withoutEquals(_ sweep: Sweep, among all: [Sweep]) -> Sweep {
    guard let limit = saturation(of: sweep.name, sweeping: all) else { return sweep }
    let equal = sweep.values.compactMap(\.integer).filter { $0 >= limit.from }.sorted()
    guard let first = equal.first, equal.count > 1 else { return sweep }
    let omitted = equal.dropFirst()
    let names = omitted.map(String.init).joined(separator: ", ")
    Lab.printMessage("\(sweep.name) \(names) left out, as \(first) does the same: \(limit.reason)")
    return Sweep(sweep.name, sweep.values.filter { value in !omitted.contains { $0 == value.integer } })
  }
}
