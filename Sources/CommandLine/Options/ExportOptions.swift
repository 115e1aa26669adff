import ArgumentParser
import Laboratory
import Reporting

/// The option `--export`, which names files to write in addition to the printed text.
struct ExportOptions<Input: Exportable>: ParsableArguments {
  @Option(
    name: .customLong("export"),
    help: ArgumentHelp(
      "Also write a file in the format of its extension: \(FileExport<Input>.known) (repeatable).", valueName: "file"),
    completion: .file())
  var paths: [String] = []

  /// Returns the files to write.
  ///
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  func files() throws(InputError) -> [FileExport<Input>] { try FileExport.files(paths) }
}
