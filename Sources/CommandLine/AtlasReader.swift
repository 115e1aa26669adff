import Laboratory
import Reporting

extension Lab {
  /// The runs in some files side by side, a file one after the other: of each only what an atlas has is kept.
  ///
  /// - Parameter names: the documents whose sentences it has; all where it is empty.
  /// - Throws: ``InputError`` for a file that is no result document, and for fewer than two runs.
  static func atlas(of paths: [String], only names: [String] = []) throws -> Atlas {
    var columns: [AtlasColumn] = []
    for path in paths { columns += AtlasColumn.columns(of: try ResultDocument.read(path), place: path) }
    return try Atlas(columns, try library.documents(), tried: try library.outlines(), only: names)
  }
}
