import Laboratory
import Platform

/// The path of a file to export. Its extension selects the format.
enum ExportPath {
  /// Returns the format of `formats` whose extension, without its dot, the file has.
  ///
  /// - Throws: ``InputError`` if the path is a directory, or if its extension has no format.
  static func format<Format>(of path: String, in formats: [Format], by ending: (Format) -> String) throws(InputError)
    -> Format
  {
    let endings = formats.map(ending)
    if namesInDirectory(path) != nil {
      let folder = path.hasSuffix("/") ? path : path + "/"
      let example = endings.contains("html") ? "html" : endings.first ?? ""
      throw InputError("\(path) is a directory: name a file, as in \(folder)run.\(example)", at: "--export")
    }
    let found = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let place = endings.firstIndex(of: found) else {
      throw InputError(
        "\(path): no format for '\(found.isEmpty ? path : "." + found)' (known: "
          + endings.map { "." + $0 }.joined(separator: " ") + ")", at: "--export", near: found, of: endings)
    }
    return formats[place]
  }
}

extension OutputFile {
  /// Opens the file that an option names.
  ///
  /// - Throws: ``InputError``, which names the option, if the file cannot be written.
  init(_ path: String, of option: String) throws(InputError) {
    do { self = try OutputFile(path) } catch { throw InputError(error.description, at: option) }
  }

  /// Verifies that no two of `files` are the same, since one would overwrite the other.
  ///
  /// - Throws: ``InputError``, which names both files.
  static func requireDistinct(_ files: [(file: OutputFile, option: String)]) throws(InputError) {
    var seen: [String: (file: OutputFile, option: String)] = [:]
    for (file, option) in files {
      guard let identity = file.identity else { continue }
      if let twin = seen.updateValue((file, option), forKey: identity) {
        throw InputError(
          "\(file.path) is the same file as \(twin.file.path) of \(twin.option): one would overwrite the other",
          at: option)
      }
    }
  }
}
