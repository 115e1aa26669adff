import FoundationEssentials
import Laboratory

/// Result documents as JSON.
public enum JSONReport {
  /// Returns the JSON of a single document, or of an array if the number of documents is not 1.
  ///
  /// - Throws: `EncodingError` if a figure is not finite. The figures of a run are finite.
  public static func render(_ documents: [ResultDocument]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = documents.count == 1 ? try encoder.encode(documents[0]) : try encoder.encode(documents)
    return JSONLayout.laidOut(escaped([UInt8](data))) + "\n"
  }

  /// Returns the indented JSON of a value. This function is meant for short values other than result documents.
  ///
  /// - Throws: `EncodingError` if a value cannot be represented in JSON.
  static func pretty(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: escaped([UInt8](try encoder.encode(value))), as: UTF8.self) + "\n"
  }

  /// Returns JSON text with invisible characters escaped (`\u202e`). The encoder escapes only characters below U+0020.
  /// Invisible characters occur only in strings, in which an escape has the same meaning as the character.
  private static func escaped(_ json: [UInt8]) -> [UInt8] {
    // The UTF-8 form of an invisible character that the encoder does not escape begins with 0x7f, 0xc2 or 0xe2.
    guard json.contains(where: { $0 == 0x7f || $0 == 0xc2 || $0 == 0xe2 }) else { return json }
    var text = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      if scalar.isHidden, scalar.value >= 0x7f {
        text += scalar.inJSON
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return Array(text.utf8)
  }
}

extension Unicode.Scalar {
  /// The JSON escape of the character: `\u202e`.
  var inJSON: String {
    let digits = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
