import ArgumentParser

/// The option for the number of cores that trials may use.
struct CoresOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Confine each trial to this many cores, or to all; trials that need more cores than the machine has cannot run (Linux only).",
      valueName: "n"))
  var cores: String?
}
