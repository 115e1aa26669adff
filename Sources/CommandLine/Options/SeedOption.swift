import ArgumentParser

/// The option for the order of a run's trials.
struct SeedOption: ParsableArguments {
  @Option(help: "Repeat the order of the earlier run that printed this seed.")
  var seed: UInt64?

  /// The given seed; a random seed if none is given.
  var orRandom: UInt64 { seed ?? UInt64.random(in: 0...999_999_999) }
}
