import Laboratory
import Platform

/// The selection of an export format by the extension of a path.
enum ExportPath {
  /// Returns extensions of files with their dots, separated by spaces: `.json .html`.
  static func list(_ fileExtensions: [String]) -> String { fileExtensions.map { "." + $0 }.joined(separator: " ") }

  /// Returns the format of `formats` whose extension, without the dot, is the extension of the path.
  ///
  /// - Throws: ``InputError`` if the path is a directory, or if no format has the path's extension.
  static func format<Format>(of path: String, in formats: [Format], by fileExtension: (Format) -> String)
    throws(InputError)
    -> Format
  {
    let fileExtensions = formats.map(fileExtension)
    if namesInDirectory(path) != nil {
      let folder = path.hasSuffix("/") ? path : path + "/"
      let example = fileExtensions.contains("html") ? "html" : fileExtensions.first ?? ""
      throw InputError("\(path) is a directory: name a file, as in \(folder)run.\(example)", at: "--export")
    }
    let found = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let place = fileExtensions.firstIndex(of: found) else {
      throw InputError(
        "\(path): no format for '\(found.isEmpty ? path : "." + found)' (known: "
          + list(fileExtensions) + ")", at: "--export", near: found,
        of: fileExtensions)
    }
    return formats[place]
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
