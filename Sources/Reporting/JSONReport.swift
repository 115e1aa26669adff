import FoundationEssentials
import Laboratory

/// Result documents as JSON.
public enum JSONReport {
  /// Returns one document, or an array if there are several.
  ///
  /// - Throws: `EncodingError`, which no measured result can cause: figures are finite.
  public static func render(_ documents: [ResultDocument]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = documents.count == 1 ? try encoder.encode(documents[0]) : try encoder.encode(documents)
    return JSONLayout.laidOut(escaped([UInt8](data))) + "\n"
  }

  /// Returns any other value as JSON. Such values are short.
  ///
  /// - Throws: `EncodingError` if JSON has no form for a value.
  static func pretty(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: escaped([UInt8](try encoder.encode(value))), as: UTF8.self) + "\n"
  }

  /// Returns the text with invisible characters escaped (`\u202e`), since the encoder escapes only the first 32.
  /// Invisible characters occur only in strings, in which an escape has the same meaning.
  private static func escaped(_ json: [UInt8]) -> [UInt8] {
    // In UTF-8, these characters begin with one of these bytes.
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
  /// The escape of an invisible character in JSON: `\u202e`.
  var inJSON: String {
    let digits = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
