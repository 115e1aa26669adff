import Laboratory
import Platform
import Reporting

/// A file to write traces or explorations to, in the format of its extension.
struct FileExport<Input> {
  private let format: FileFormat<Input>
  private let file: OutputFile

  /// Opens the file that `--export` names.
  ///
  /// - Throws: ``InputError`` if the extension has no format, or if the file cannot be written.
  init(_ path: String, in formats: [FileFormat<Input>]) throws(InputError) {
    format = try ExportPath.format(of: path, in: formats, by: \.ending)
    file = try OutputFile(path, of: "--export")
  }

  /// Writes the input.
  func write(_ input: Input) throws { try file.write(format.render(input)) }
}

extension FileExport<TraceSelection> {
  /// Returns the files to write, checked before anything is recorded.
  ///
  /// - Throws: ``InputError`` if an extension has no format, or if a file cannot be written or is named twice.
  static func files(_ paths: [String]) throws(InputError) -> [FileExport] {
    var files: [FileExport] = []
    for path in paths { files.append(try FileExport(path, in: FileFormat<TraceSelection>.all)) }
    try OutputFile.requireDistinct(files.map { ($0.file, "--export") })
    return files
  }
}
