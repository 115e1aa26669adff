import ArgumentParser
import Platform
import Reporting

extension ColorChoice: ExpressibleByArgument {}

/// The option for colour. With `auto`, the environment decides (`NO_COLOR`, `CLICOLOR_FORCE`), and otherwise the
/// terminal.
struct ColorOptions: ParsableArguments {
  @Option(help: "Colour: auto, always or never. NO_COLOR and CLICOLOR_FORCE are respected.")
  var color: ColorChoice = .auto

  /// Returns the text style of the stream with the descriptor `descriptor`.
  func style(for descriptor: Int32) -> TextStyle {
    TextStyle(
      width: Terminal.columns(descriptor) ?? Terminal.environment("COLUMNS").flatMap { Int($0) } ?? 80,
      color: color.isOn(isTerminal: Terminal.isTerminal(descriptor), environment: Terminal.environment),
      unicode: Terminal.isUnicode)
  }

  /// Prints text to standard error.
  func printToStandardError(_ text: (TextStyle) -> String) throws {
    let style = style(for: STDERR_FILENO)
    try writeAll(style.safe(text(style)), to: STDERR_FILENO)
  }

  /// Prints text to standard output. With `asIs`, the text is printed unchanged unless standard output is a terminal.
  /// Use `asIs` for text that programs read.
  func print(asIs: Bool = false, _ text: (TextStyle) throws -> String) throws {
    let style = style(for: STDOUT_FILENO)
    let text = try text(style)
    try writeAll(asIs && !Terminal.isTerminal(STDOUT_FILENO) ? text : style.safe(text), to: STDOUT_FILENO)
  }
}
