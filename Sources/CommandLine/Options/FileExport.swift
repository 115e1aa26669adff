import Laboratory
import Platform
import Reporting

/// A file for traces, explorations, a diff or the sentences of documents. The extension of the file determines the
/// format.
struct FileExport<Input> {
  private let format: FileFormat<Input>
  private let file: OutputFile

  private init(_ path: String, in formats: [FileFormat<Input>]) throws(InputError) {
    format = try ExportPath.format(of: path, in: formats, by: \.ending)
    file = try OutputFile(path, of: "--export")
  }

  /// Returns the files to write. The files are prepared before anything is measured.
  ///
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  static func files(_ paths: [String], in formats: [FileFormat<Input>]) throws(InputError) -> [FileExport] {
    var files: [FileExport] = []
    for path in paths { files.append(try FileExport(path, in: formats)) }
    try OutputFile.requireDistinct(files.map { ($0.file, "--export") })
    return files
  }

  /// Writes the input to each file, in the file's format. A failure of one file does not affect the other files.
  ///
  /// - Throws: the first error. The other errors are printed.
  static func write(_ input: Input, to exports: [FileExport]) throws {
    var failures: [any Error] = []
    for export in exports {
      do { try export.file.write(export.format.render(input)) } catch { failures.append(error) }
    }
    try Lab.throwAll(failures)
  }
}
