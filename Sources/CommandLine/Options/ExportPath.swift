import Laboratory
import Platform

/// The name of a file to export, whose extension says in which format.
enum ExportPath {
  /// The one of `formats` whose extension, without its dot, the file has.
  ///
  /// - Throws: ``InputError`` for a directory, and for an extension that has no format.
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
