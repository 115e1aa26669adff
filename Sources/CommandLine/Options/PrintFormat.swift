import ArgumentParser
import Reporting

/// The form in which a command prints its result: tables for people, or the text of a format.
struct PrintFormat<Input: Exportable>: ExpressibleByArgument {
  private let format: FileFormat<Input>?

  static var table: PrintFormat { PrintFormat(format: nil) }

  private init(format: FileFormat<Input>?) { self.format = format }

  init?(argument: String) {
    guard argument != "table" else {
      self = .table
      return
    }
    guard let meant = Self.printed.first(where: { argument == $0.name || argument == $0.fileExtension }) else {
      return nil
    }
    format = meant
  }

  /// The formats that consist of one text.
  private static var printed: [FileFormat<Input>] {
    Input.formats.filter { if case .text = $0.rendering { true } else { false } }
  }

  static var allValueStrings: [String] { ["table"] + printed.map(\.name) }

  var defaultValueDescription: String { "table" }

  var isTable: Bool { format == nil }

  /// The extension of files in the format; nil for tables.
  var fileExtension: String? { format?.fileExtension }

  /// Returns the text of an input in the format; nil for tables.
  func text(_ input: Input) throws -> String? {
    guard case .text(let render) = format?.rendering else { return nil }
    return try render(input)
  }
}
