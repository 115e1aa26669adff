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
    let ending = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let format = TraceFormat.all.first(where: { $0.ending == ending }) else {
      let endings = TraceFormat.all.map(\.ending)
      throw InputError(
        "\(path): no format for '\(ending.isEmpty ? path : "." + ending)' (known: "
          + endings.map { "." + $0 }.joined(separator: " ") + ")", at: "--export", near: ending, of: endings)
    }
    self.format = format
    do { file = try OutputFile(path) } catch { throw InputError(error.description, at: "--export") }
  }

  /// Writes traces. Pictures contain only the time between `from` and `to`, in nanoseconds.
  func write(_ traces: [Trace], from: UInt64?, to: UInt64?) throws { try file.write(format.render(traces, from, to)) }
}
