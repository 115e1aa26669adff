import Laboratory
import Platform
import Reporting

extension Lab {
  /// Returns the result documents at `path`: the run that the lab kept under this name, or the documents in a file.
  /// `report` lists the names of kept runs.
  ///
  /// - Throws: ``InputError`` if there is neither such a run nor such a file, or if the file is not a result document.
  static func results(at path: String) throws(InputError) -> [ResultDocument] {
    if let kept = try Archive.ofUser?.run(named: path) { return [kept] }
    // A path with a slash may be a pipe, which is opened only once.
    if !path.contains("/") { try requireFile(path) }
    return try ResultDocument.read(path)
  }

  /// Verifies that a file can be read.
  ///
  /// - Throws: ``InputError`` if the file cannot be read. The error suggests a scenario if the path has neither a slash
  ///   nor a dot.
  static func requireFile(_ path: String) throws(InputError) {
    do { _ = try readBytes(path, atMost: 0) } catch {
      let kept = (Archive.ofUser?.runs ?? []).filter { $0.hasPrefix(path.prefix { $0 != "." } + ".") }
      if !path.contains("/"), library.names.contains(String(path.prefix { $0 != "." })), path.contains("."),
        !kept.isEmpty
      {
        throw .unknown("run", path, known: kept)
      }
      guard path.contains("/") || path.contains(".") else {
        throw InputError("'\(path)' is neither a scenario nor a file", near: path, of: library.names)
      }
      throw InputError(error.description)
    }
  }

  /// Returns an atlas of the runs in several files. The files are read one after the other, and only the facts that an
  /// atlas shows stay in memory.
  ///
  /// - Parameters:
  ///   - paths: the paths of the files, or the names of kept runs.
  ///   - names: the names of the documents whose sentences the atlas shows; all documents if the array is empty.
  /// - Throws: ``InputError`` if a file is not a result document, or if there are fewer than two runs.
  static func atlas(of paths: [String], only names: [String] = []) throws -> Atlas {
    let columns = try paths.flatMap { path in AtlasColumn.columns(of: try results(at: path), place: path) }
    return try Atlas(columns, try library.documents(), tried: try library.outlines(), only: names)
  }
}
