import ArgumentParser
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension ColorChoice: ExpressibleByArgument {}

/// Whether to colour, decided on the stream that is written to.
struct ColorOptions: ParsableArguments {
  @Option(help: "Colour: auto, always or never. NO_COLOR and CLICOLOR_FORCE are respected.")
  var color: ColorChoice = .auto

  /// How text for `descriptor` may look.
  func style(for descriptor: Int32) -> TextStyle {
    TextStyle(
      width: Terminal.columns(descriptor) ?? Terminal.environment("COLUMNS").flatMap { Int($0) } ?? 80,
      color: color.isOn(isTerminal: Terminal.isTerminal(descriptor), environment: Terminal.environment),
      unicode: Terminal.isUnicode)
  }

  /// Prints text on standard output.
  func print(_ text: (TextStyle) throws -> String) throws {
    try writeAll(try text(style(for: STDOUT_FILENO)), to: STDOUT_FILENO)
  }
}
