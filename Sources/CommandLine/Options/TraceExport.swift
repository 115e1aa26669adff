import Laboratory
import Platform
import Reporting

/// A file to write traces to, in the format of its extension.
struct TraceExport {
  private let format: TraceFormat
  private let file: OutputFile

  /// Returns the files to write, checked before anything is recorded.
  ///
  /// - Throws: ``InputError`` for an extension without a format, a file that cannot be written, and one that is named
  ///   twice.
  static func files(_ paths: [String]) throws(InputError) -> [TraceExport] {
    var files: [TraceExport] = []
    for path in paths {
      let export = try TraceExport(path)
      if let twin = files.first(where: { $0.file.identity != nil && $0.file.identity == export.file.identity }) {
        throw InputError("\(path) is the same file as \(twin.file.path): one would overwrite the other", at: "--export")
      }
      files.append(export)
    }
    return files
  }

  private init(_ path: String) throws(InputError) {
    format = try ExportPath.format(of: path, in: TraceFormat.all, by: \.ending)
    do { file = try OutputFile(path) } catch { throw InputError(error.description, at: "--export") }
  }

  /// Writes traces. Pictures contain only the time between `from` and `to`, in nanoseconds.
  func write(_ traces: [Trace], from: UInt64?, to: UInt64?) throws { try file.write(format.render(traces, from, to)) }
}
