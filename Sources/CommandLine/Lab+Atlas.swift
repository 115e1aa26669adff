import Laboratory
import Reporting

extension Lab {
  /// Returns an atlas of the runs in several files. The files are read one after the other, and only the facts that an
  /// atlas shows stay in memory.
  ///
  /// - Parameters:
  ///   - paths: the paths of the files.
  ///   - names: the names of the documents whose sentences the atlas shows; all documents if the array is empty.
  /// - Throws: ``InputError`` if a file is not a result document, or if there are fewer than two runs.
  static func atlas(of paths: [String], only names: [String] = []) throws -> Atlas {
    var columns: [AtlasColumn] = []
    for path in paths {
      // `report` lists the names of kept runs.
      let kept = try Archive.ofUser?.run(named: path).map { [$0] }
      columns += AtlasColumn.columns(of: try kept ?? ResultDocument.read(path), place: path)
    }
    return try Atlas(columns, try library.documents(), tried: try library.outlines(), only: names)
  }
}
