import ArgumentParser
import Laboratory

/// The options for recording a user's program with `trace`.
struct ProgramOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End the record after this time, as in 10s; the program continues.", valueName: "duration"))
  var time: String?

  @Option(help: ArgumentHelp("Show only the last part of the record, as in 10s.", valueName: "duration"))
  var last: String?

  @Option(
    help: ArgumentHelp(
      "Report a block on the main queue that keeps other blocks waiting for this long (default: 250ms).",
      valueName: "duration"))
  var hang: String?

  @Flag(help: "Also record the programs that the program starts.")
  var children = false

  @Flag(
    help:
      "On Ctrl-C, or after the time of --for, show the record and kill the program, even if the program handles signals. The exit status is then 124 after --for, and 128 plus the signal otherwise."
  )
  var kill = false

  /// The time after which the record ends, in nanoseconds; nil for no limit.
  func limit() throws -> UInt64? { try Duration.nanoseconds(option: "--for", time, atLeast: 1) }

  /// The length of the last part of the record that is shown, in nanoseconds; nil for the whole record.
  func lastPart() throws -> UInt64? { try Duration.nanoseconds(option: "--last", last, atLeast: 1) }

  /// The shortest time that counts as a hang, in nanoseconds.
  func shortestHang() throws -> UInt64 {
    try Duration.nanoseconds(option: "--hang", hang, atLeast: 1) ?? 250_000_000
  }

  func validate() throws { _ = (try limit(), try lastPart(), try shortestHang()) }

  /// The name of an option of this group that the command line sets; nil if the command line sets no option of this
  /// group.
  var given: String? {
    if time != nil { return "--for" }
    if last != nil { return "--last" }
    if hang != nil { return "--hang" }
    return children ? "--children" : kill ? "--kill" : nil
  }
}
