import FoundationEssentials

/// Result documents as JSON.
public enum JSONReport {
  /// One document, or an array of them when there are several.
  ///
  /// - Throws: `EncodingError`, which no measured result can cause: figures are finite.
  public static func render(_ documents: [ResultDocument]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = documents.count == 1 ? try encoder.encode(documents[0]) : try encoder.encode(documents)
    return JSONLayout.laidOut([UInt8](data)) + "\n"
  }
}
