import ArgumentParser
import Laboratory
import Measurement

/// The options that define the variants to run, their settings, and the number of rounds.
struct RunOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), help: ArgumentHelp("Set a parameter; see `explain`.", valueName: "name=value"),
    completion: .custom { words, _, word in Completions.settings(words, word) })
  var settings: [String] = []

  @OptionGroup var confinement: CoresOption

  @Option(
    name: .customLong("variant"), help: "Run only this variant (repeatable).",
    completion: .custom { words, _, _ in Completions.variants(words) })
  var variants: [String] = []

  @Option(help: "Compare with this variant.", completion: .custom { words, _, _ in Completions.variants(words) })
  var baseline: String?

  @Flag(
    help:
      "Run with small settings and 6 rounds, the minimum for a verdict on performance; compare adds rounds for up to 20 s."
  )
  var quick = false

  @Flag(help: "Run at least 30 rounds instead of 10, for narrow intervals.")
  var thorough = false

  @Option(
    help:
      "Run this many rounds. In each round, every variant runs one trial at each setting of a sweep, in shuffled order. A trial is a process of its own."
  )
  var rounds: Int?

  @Option(
    help: ArgumentHelp(
      "Add rounds until every ratio (in compare, every one not certainly above 2x) is known to within this share, as in 2%, or --time has run out (default: 2% in compare, or 10% with --quick and without --time; none elsewhere).",
      valueName: "percent"))
  var precision: String?

  @Option(
    help: ArgumentHelp(
      "Start no round that would end later than this, as in 5s or 2min (default: 30s in compare, or 20s with --quick; 1min with --precision, none elsewhere). A default of compare becomes up to four times as long if six rounds need more; a time of yours never does.",
      valueName: "duration"))
  var time: String?

  @OptionGroup var seed: SeedOption

  func validate() throws {
    if quick, thorough { throw ValidationError("--quick and --thorough exclude each other.") }
    if let rounds, !(1...10_000).contains(rounds) {
      throw ValidationError("--rounds: found \(rounds), expected 1 to 10000.")
    }
    _ = try limit()
    _ = try share()
  }

  var overrides: Overrides {
    Overrides(settings: settings, cores: confinement.cores, variants: variants, baseline: baseline, quick: quick)
  }

  /// Returns the budget of the run. `precision` and `time` are the defaults of the options `--precision` and `--time`.
  /// If there is a precision and neither `--time` nor `time` is given, the time limit is one minute. The default
  /// precision does not apply to a thorough run or to a run with `--rounds`.
  ///
  /// - Throws: `ValidationError` if the value of an option is invalid.
  func budget(precision: Double? = nil, time: Duration? = nil) throws -> Budget {
    var budget = quick ? Budget.quick : thorough ? .thorough : .standard
    let addsRounds = rounds == nil && !thorough
    budget.precision = try share() ?? (addsRounds ? precision : nil)
    // With a precision, the run starts with the minimum number of rounds for an interval, and adds further rounds.
    if budget.precision != nil, !quick, !thorough { budget.rounds = ConfidenceInterval.fewest }
    if let rounds { budget.rounds = rounds }
    budget.time = try limit() ?? time ?? (budget.precision == nil ? nil : .seconds(60))
    return budget
  }

  private func limit() throws -> Duration? { try time.map { try Duration(option: "--time", $0) } }

  private func share() throws -> Double? {
    try precision.map { try Percentage(option: "--precision", $0, allowed: 0.1...100).value }
  }
}
