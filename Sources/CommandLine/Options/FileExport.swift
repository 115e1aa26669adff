import Laboratory
import Platform
import Reporting

/// A file of `--export`, or of an option for one format. If the option is `--export`, the extension of the file
/// determines the format.
struct FileExport<Input: Exportable> {
  private let format: FileFormat<Input>
  private let file: OutputFile
  /// The option that specifies the file.
  private let option: String

  private init(_ path: String, _ format: FileFormat<Input>, of option: String) throws(InputError) {
    self.format = format
    self.option = option
    file = try OutputFile(path, of: option)
  }

  /// The extensions of the formats: `.json .html`.
  static var known: String { Input.formats.map { "." + $0.fileExtension }.joined(separator: " ") }

  /// Returns the files to write. The files are prepared before anything is measured. An invalid path is thus reported
  /// before there are results to lose.
  ///
  /// - Parameters:
  ///   - paths: the paths of the option `--export`.
  ///   - html: the path of the option `--html`, a page with any extension; nil if there is no such page.
  ///   - junit: the path of the option `--junit`, a JUnit report with any extension; nil if there is no such report.
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  static func files(_ paths: [String], html: String? = nil, junit: String? = nil) throws(InputError) -> [FileExport] {
    var files: [FileExport] = []
    for path in paths { files.append(try FileExport(path, format(of: path), of: "--export")) }
    for format in Input.formats {
      let path = format.name == "html" ? html : format.name == "junit" ? junit : nil
      if let path { files.append(try FileExport(path, format, of: "--\(format.name)")) }
    }
    try OutputFile.requireDistinct(files.map { ($0.file, $0.option) })
    return files
  }

  /// Returns the format whose extension is the extension of the path.
  ///
  /// - Throws: ``InputError`` if the path is a directory, or if no format has the path's extension.
  private static func format(of path: String) throws(InputError) -> FileFormat<Input> {
    let fileExtensions = Input.formats.map(\.fileExtension)
    if namesInDirectory(path) != nil {
      let folder = path.hasSuffix("/") ? path : path + "/"
      let example = fileExtensions.contains("html") ? "html" : fileExtensions.first ?? ""
      throw InputError("\(path) is a directory: name a file, as in \(folder)run.\(example)", at: "--export")
    }
    let found = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let format = Input.formats.first(where: { $0.fileExtension == found }) else {
      throw InputError(
        "\(path): no format for '\(found.isEmpty ? path : "." + found)'", at: "--export", near: found,
        of: fileExtensions, listing: .text("known: \(known)"))
    }
    return format
  }

  /// Writes the input to each file, in the file's format. A failure of one file does not affect the other files.
  /// Returns the errors of the files that failed.
  static func write(_ input: Input, to exports: [FileExport]) -> [any Error] {
    exports.compactMap { export in
      do { try export.write(input) } catch { return error }
      // A program that reads standard error knows the path, since it passed the path itself.
      if Terminal.isTerminal(STDERR_FILENO) { Lab.printMessage("wrote \(export.file.path)") }
      return nil
    }
  }

  private func write(_ input: Input) throws {
    switch format.rendering {
    case .files(let render): try write(render(input))
    case .text(let render):
      let text = try render(input)
      if let largest = format.largestFile, text.utf8.count > largest {
        Lab.printMessage(
          "\(file.path): larger than \(largest >> 20) MiB, the limit of report and diff: write fewer runs to one file")
      }
      try file.write(text)
    }
  }

  /// Writes one text to the file of the export. If there are several texts, writes each text to a separate file, with
  /// the name of the text before the extension. If there are no texts, writes no file and prints the reason.
  private func write(_ parts: [(name: String, text: String)]) throws {
    if parts.count == 1, let only = parts.first { return try file.write(only.text) }
    guard let first = parts.first?.name, let last = parts.last?.name else {
      return Lab.printMessage("\(file.path): not written, since the run has nothing to show in \(format.name)")
    }
    let start = file.path.dropLast(format.fileExtension.count + 1)
    let suffix = "." + format.fileExtension
    Lab.printMessage(
      "\(file.path): \(parts.count) files, \(start)-\(first)\(suffix) to \(start)-\(last)\(suffix)")
    for (name, text) in parts { try OutputFile("\(start)-\(name)\(suffix)").write(text) }
  }
}

extension OutputFile {
  /// Prepares the file at a path that an option specifies.
  ///
  /// - Throws: ``InputError`` if the file cannot be written. The error names the option.
  init(_ path: String, of option: String) throws(InputError) {
    do { self = try OutputFile(path) } catch { throw InputError(error.description, at: option) }
  }

  /// Verifies that no two of `files` are the same file, since one text would overwrite the other.
  ///
  /// - Throws: ``InputError`` if two files are the same. The error names both options.
  static func requireDistinct(_ files: [(file: OutputFile, option: String)]) throws(InputError) {
    var seen: [String: (file: OutputFile, option: String)] = [:]
    for (file, option) in files {
      guard let identity = file.identity else { continue }
      if let duplicate = seen.updateValue((file, option), forKey: identity) {
        throw InputError(
          "\(file.path) is the same file as \(duplicate.file.path) of \(duplicate.option): one would overwrite the other",
          at: option)
      }
    }
  }
}
