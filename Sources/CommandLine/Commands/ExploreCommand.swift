import ArgumentParser
import Exploration
import Laboratory
import Measurement
import Platform
import Reporting

struct ExploreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Execute a scenario's steps in every order, and show the shortest order that breaks a promise.",
    discussion: """
      The code of the variants runs with a model of queues, groups, sources and locks, one step at a time. A step is an \
      access to the shared state, a call of Dispatch, or the part of a task up to its next await. A failing schedule is \
      printed as a list of threads, such as 1.2.2.1, and --schedule repeats the schedule.

      Exit status: 0 every variant that should keep its promise kept it; 1 such a variant broke its promise; 2 such a \
      variant was not explored to the end, or a repeated schedule behaved differently; 64 bad usage; 130 interrupted.

      \(examples(("explore \(Lab.example)", "all variants of a scenario"), ("explore \(Lab.example) --schedule 1.2.2.1", "one schedule, step by step"), ("explore --all --time 60s", "all scenarios, for CI")))
      """)

  @Argument(help: "The names of scenarios.", completion: .custom { _, _, _ in Lab.explored.map(\.name) })
  var names: [String] = []

  @Flag(help: "Explore all scenarios that can be explored, and do not show the steps of schedules.")
  var all = false

  @Option(
    name: .customLong("variant"), help: "Explore only this variant (repeatable).",
    completion: .custom { words, _, _ in Completions.variants(words) })
  var variants: [String] = []

  @Option(help: ArgumentHelp("Repeat one schedule and show its steps, as in 1.2.2.1.", valueName: "threads"))
  var schedule: String?

  @Option(help: ArgumentHelp("Explore only schedules with at most this many preemptions.", valueName: "count"))
  var preemptions: Int?

  @Option(help: ArgumentHelp("Explore this many random schedules instead of all schedules.", valueName: "count"))
  var random: Int?

  @Option(
    help: ArgumentHelp(
      "Explore this many schedules with random priorities that change --preemptions times.", valueName: "count"))
  var priorities: Int?

  @Option(help: "The seed of --random and --priorities.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Also run this many of the scenario's own trials of each variant that breaks, on free threads.",
      valueName: "count"))
  var trials: Int?

  @Option(help: ArgumentHelp("The maximum duration of the exploration, as in 30s or 2min.", valueName: "duration"))
  var time: String?

  @OptionGroup var exports: ExportOptions<[ExplorationResult]>

  @OptionGroup var color: ColorOptions

  func validate() throws {
    if all, !names.isEmpty {
      throw ValidationError("--all explores every scenario: give either --all or names of scenarios.")
    }
    for (option, value, least) in [
      ("--random", random, 1), ("--priorities", priorities, 1), ("--preemptions", preemptions, 0),
      ("--trials", trials, 1),
    ] {
      if let value, !(least...1_000_000_000).contains(value) {
        throw ValidationError("\(option): found \(value), expected \(least) to 1000000000.")
      }
    }
    let ways = [("--schedule", schedule != nil), ("--random", random != nil), ("--priorities", priorities != nil)]
    let given = ways.filter(\.1).map(\.0)
    if given.count > 1 { throw ValidationError("\(given.joined(separator: " and ")): give only one.") }
    if seed != nil, random == nil, priorities == nil {
      throw ValidationError("--seed requires --random or --priorities.")
    }
    if trials != nil, schedule != nil { throw ValidationError("--trials cannot be combined with --schedule.") }
    if preemptions != nil, schedule != nil || random != nil {
      throw ValidationError("--preemptions cannot be combined with \(given.joined()).")
    }
  }

  func run() async throws {
    let limit = try time.map { try Duration(option: "--time", $0).nanoseconds }
    let chosen = try patterns()
    let files = try exports.files()
    if let schedule { return try await repeating(schedule, chosen) }
    Interrupt.begin()
    var results = try await explored(chosen, within: limit)
    if let trials {
      for index in results.indices where results[index].summary?.broken ?? 0 > 0 && Interrupt.status == nil {
        results[index].trials = try await seen(results[index], in: trials)
      }
    }
    try color.print { ExplorationText(style: $0).render(results, steps: !all) }
    try Lab.throwAll(FileExport.write(results, to: files))
    guard Interrupt.status == nil else { return }
    if results.contains(where: \.isFailure) { throw ExitCode(1) }
    if let open = results.first(where: \.isUndecided) {
      throw LabError("\(open.pattern) \(open.variant.name) was not explored to the end")
    }
  }

  /// Explores the variants of patterns one after the other, for at most `limit` nanoseconds, or without a limit if
  /// `limit` is nil.
  private func explored(_ patterns: [ExploredPattern], within limit: UInt64?) async throws -> [ExplorationResult] {
    let begin = MonotonicClock.now()
    let isOver: @Sendable () -> Bool = {
      Interrupt.status != nil || limit.map { MonotonicClock.now() &- begin >= $0 } ?? false
    }
    var results: [ExplorationResult] = []
    for pattern in patterns {
      for variant in pattern.variants where Interrupt.status == nil {
        results.append(try await pattern.explored(variant, by: strategy, isOver: isOver))
      }
    }
    return results
  }

  private var strategy: Explorer.Strategy {
    if let random { return .random(random, seed: seed ?? 1) }
    if let priorities { return .priorities(priorities, changes: preemptions ?? 2, seed: seed ?? 1) }
    return preemptions.map { .preemptions($0) } ?? .all
  }

  /// Runs trials of a variant with a scenario's quick settings, and returns the number of trials that showed an
  /// anomaly and the number of trials that were judged.
  private func seen(_ result: ExplorationResult, in trials: Int) async throws -> (seen: Int, of: Int) {
    let (pattern, variant) = (result.pattern, result.variant.name)
    // Several scenarios may run a pattern. The scenario with the name of its pattern has the claims on all variants.
    func runs(_ scenario: Experiment) -> Bool {
      scenario.pattern.name == pattern && scenario.variant(variant) != nil
    }
    let named = Lab.library.names.contains(pattern) ? try Lab.library.experiment(pattern) : nil
    guard let scenario = try named.flatMap({ runs($0) ? $0 : nil }) ?? Lab.library.all().first(where: runs) else {
      throw InputError("no scenario runs \(variant) of the pattern \(pattern)", at: "--trials")
    }
    let experiment = try scenario.applying(Overrides(variants: [variant], quick: true))
    let plan = Plan(experiment, budget: Budget(rounds: trials), seed: seed ?? 1)
    let run = try await Runner(Host.executable, machine: .current()).run(plan)
    let rounds = (0..<trials).map { round -> [Verdict] in
      var one = run
      for index in one.runs.indices { one.runs[index].trials.removeAll { $0.round != round } }
      return Judge(one).judgements().filter { $0.claim.kind == .anomaly }.map(\.verdict)
    }
    let judged = rounds.filter { $0.contains { $0 != .unavailable } }
    return (judged.count { $0.contains(.witnessed) }, judged.count)
  }

  /// Repeats the schedule in `text` with the first variant that can be explored, and prints the steps of the schedule.
  ///
  /// - Throws: ``InputError`` if the schedule is invalid or cannot be repeated, or if there is not exactly one
  ///   pattern.
  private func repeating(_ text: String, _ patterns: [ExploredPattern]) async throws {
    let schedule = try parsed(text)
    guard let pattern = patterns.first, patterns.count == 1 else {
      throw InputError("a schedule belongs to one scenario: name that scenario", at: "--schedule")
    }
    guard let variant = pattern.variants.first(where: { $0.program != nil }), let program = variant.program else {
      throw InputError("\(pattern.name) has no variant that can be explored", at: "--schedule")
    }
    do {
      let record = try await onThread { try Explorer(program).replay(schedule) }
      try color.print { ExplorationText(style: $0).render(record, of: pattern, variant: variant.name) }
    } catch let error as ImpossibleSchedule {
      throw InputError("\(variant.name): \(error)", at: "--schedule")
    }
  }

  /// Returns the numbers of the threads in a schedule such as `1.2.2.1`.
  ///
  /// - Throws: ``InputError`` if a part of the schedule is not a number of at least 0.
  private func parsed(_ schedule: String) throws(InputError) -> [Int] {
    let steps = schedule.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = steps.compactMap { step in step.flatMap { $0 >= 0 ? $0 : nil } }
    guard numbers.count == steps.count else {
      throw InputError("found '\(schedule)', expected the numbers of threads as in 1.2.2.1", at: "--schedule")
    }
    return numbers
  }

  /// Returns the named patterns, or all patterns if the command line has the option `--all`. Each pattern contains
  /// only the variants to explore.
  ///
  /// - Throws: ``InputError`` if a pattern or none of the named variants can be explored, if the name of a variant is
  ///   unknown, or if the command line names no pattern.
  private func patterns() throws(InputError) -> [ExploredPattern] {
    let chosen = try namedPatterns()
    guard !variants.isEmpty else { return chosen }
    for name in variants where !chosen.contains(where: { $0.variants.contains { $0.name == name } }) {
      throw .unknown("variant", name, at: "--variant", known: chosen.flatMap { $0.variants.map(\.name) })
    }
    let named = chosen.map { pattern in
      ExploredPattern(
        pattern.name, leavesOut: pattern.leavesOut, pattern.variants.filter { variants.contains($0.name) })
    }
    .filter { !$0.variants.isEmpty }
    let all = named.flatMap(\.variants)
    if let first = all.first, let obstacle = first.obstacle, all.allSatisfy({ $0.program == nil }) {
      throw InputError("\(first.name) cannot be explored: \(obstacle)", at: "--variant")
    }
    return named
  }

  private func namedPatterns() throws(InputError) -> [ExploredPattern] {
    if !all, names.isEmpty { throw InputError("name a scenario that can be explored, or give --all") }
    let known = Lab.explored
    guard !known.isEmpty else {
      throw InputError("no scenario can be explored, since none was passed to Lab(explored:); see docs/explore.md")
    }
    var chosen: [ExploredPattern] = []
    for name in all ? known.map(\.name) : names {
      guard let pattern = known.first(where: { $0.name == name }) else { throw unknown(name, known.map(\.name)) }
      chosen.append(pattern)
    }
    return chosen
  }

  /// Returns the error for a name that is not the name of a pattern that can be explored.
  private func unknown(_ name: String, _ known: [String]) -> InputError {
    Lab.library.names.contains(name)
      ? InputError("\(name) cannot be explored", of: known, listing: .all(as: "these can"))
      : .unknown("scenario", name, known: known, listing: .all(as: "can be explored"))
  }
}
