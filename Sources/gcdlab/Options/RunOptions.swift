import ArgumentParser
import Laboratory
import Measurement

/// What to run and how much of it.
struct RunOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), help: ArgumentHelp("Set a parameter; see `gcdlab explain`.", valueName: "name=value"))
  var settings: [String] = []

  @Option(name: .customLong("variant"), help: "Run only this variant (repeatable).")
  var variants: [String] = []

  @Option(help: "Compare with this variant.")
  var baseline: String?

  @Flag(help: "A first look: 3 rounds with small settings. Enough for guarantees, too few to grade performance.")
  var quick = false

  @Flag(help: "30 rounds instead of 10, for narrow intervals.")
  var thorough = false

  @Option(help: "How many rounds: every variant at every point once, shuffled.")
  var rounds: Int?

  @Option(help: ArgumentHelp("Start no new round after this time, as in 5s or 2min.", valueName: "duration"))
  var time: String?

  @Option(help: "Repeat the order of a run by its printed seed.")
  var seed: UInt64?

  func validate() throws {
    if quick, thorough { throw ValidationError("--quick and --thorough exclude each other.") }
    if let rounds, !(1...10_000).contains(rounds) {
      throw ValidationError("--rounds: found \(rounds), allowed is 1 to 10000.")
    }
    _ = try limit()
  }

  var overrides: Overrides {
    Overrides(settings: settings, variants: variants, baseline: baseline, quick: quick)
  }

  func budget() throws -> Budget {
    var budget = quick ? Budget.quick : thorough ? .thorough : .standard
    if let rounds { budget.rounds = rounds }
    budget.time = try limit()
    return budget
  }

  var seedOrRandom: UInt64 { seed ?? UInt64.random(in: 0...999_999_999) }

  private func limit() throws -> Duration? {
    guard let time else { return nil }
    do { return try Duration(option: "--time", time) } catch { throw ValidationError("\(error).") }
  }
}
