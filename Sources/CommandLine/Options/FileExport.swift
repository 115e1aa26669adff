import Laboratory
import Platform
import Reporting

/// A file to write traces to, in the format of its extension.
struct TraceExport {
  private let format: TraceFormat
  private let file: OutputFile

  /// Returns the files to write, checked before anything is recorded.
  ///
  /// - Throws: ``InputError`` if an extension has no format, or if a file cannot be written or is named twice.
  static func files(_ paths: [String]) throws(InputError) -> [TraceExport] {
    var files: [TraceExport] = []
    for path in paths { files.append(try TraceExport(path)) }
    try OutputFile.requireDistinct(files.map { ($0.file, "--export") })
    return files
  }

  private init(_ path: String) throws(InputError) {
    format = try ExportPath.format(of: path, in: TraceFormat.all, by: \.ending)
    file = try OutputFile(path, of: "--export")
  }

  /// Writes traces. Pictures contain only the time between `from` and `to`, in nanoseconds.
  func write(_ traces: [Trace], from: UInt64?, to: UInt64?) throws { try file.write(format.render(traces, from, to)) }
}
