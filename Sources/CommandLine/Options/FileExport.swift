import Laboratory
import Platform
import Reporting

/// A file for traces, explorations, a diff, machines side by side or the sentences of documents. The extension of the
/// file determines the format.
struct FileExport<Input> {
  private let format: FileFormat<Input>
  private let file: OutputFile
  /// The option that specifies the file.
  private let option: String

  private init(_ path: String, _ format: FileFormat<Input>, of option: String) throws(InputError) {
    self.format = format
    self.option = option
    file = try OutputFile(path, of: option)
  }

  /// Returns the files to write. The files are prepared before anything is measured.
  ///
  /// - Parameters:
  ///   - paths: the paths of the option `--export`.
  ///   - html: the path of the option `--html`, a page with any extension; nil if there is no such page.
  ///   - formats: the formats of the files.
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  static func files(
    _ paths: [String], html: String? = nil, in formats: [FileFormat<Input>]
  ) throws(InputError) -> [FileExport] {
    var files: [FileExport] = []
    for path in paths {
      files.append(try FileExport(path, ExportPath.format(of: path, in: formats, by: \.fileExtension), of: "--export"))
    }
    if let html, let format = formats.first(where: { $0.fileExtension == "html" }) {
      files.append(try FileExport(html, format, of: "--html"))
    }
    try OutputFile.requireDistinct(files.map { ($0.file, $0.option) })
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
