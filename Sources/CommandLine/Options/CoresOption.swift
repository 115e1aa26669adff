import ArgumentParser

/// How many cores trials may use.
struct CoresOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Confine each trial to this many cores, or to all; more than there are is unavailable (Linux).", valueName: "n"))
  var cores: String?
}
