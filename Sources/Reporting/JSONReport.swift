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

  /// Anything else that is printed as JSON, which is short.
  ///
  /// - Throws: `EncodingError`, where a value is none that JSON has.
  static func pretty(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
