import Laboratory
import Reporting

extension Lab {
  /// Returns an atlas, which shows the runs in the files side by side. The files are read one after the other, and only
  /// what an atlas shows is kept.
  ///
  /// - Parameter names: the documents whose sentences the atlas has; all if it is empty.
  /// - Throws: ``InputError`` if a file is not a result document, or if there are fewer than two runs.
  static func atlas(of paths: [String], only names: [String] = []) throws -> Atlas {
    var columns: [AtlasColumn] = []
    for path in paths { columns += AtlasColumn.columns(of: try ResultDocument.read(path), place: path) }
    return try Atlas(columns, try library.documents(), tried: try library.outlines(), only: names)
  }
}
