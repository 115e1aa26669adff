import FoundationEssentials
import Laboratory
import Platform

extension ResultDocument {
  /// The maximum size of a file of result documents, in bytes. Parsing requires about ten times as much memory. The
  /// document of a default run is smaller than 1 MB.
  public static let largestFile = 24 << 20

  /// Reads the documents in a file, which contains one document or an array of documents.
  ///
  /// - Throws: ``InputError`` if the file cannot be read, is larger than ``largestFile``, is not JSON, has a schema
  ///   other than ``schema``, or contains no document, a repeated key or an invalid value. An error about a value
  ///   contains the path of the value.
  public static func read(_ path: String) throws(InputError) -> [ResultDocument] {
    let bytes: [UInt8]
    do { bytes = try readBytes(path, atMost: largestFile) } catch { throw InputError(error.description) }
    guard bytes.count <= largestFile else {
      throw InputError(
        "larger than \(largestFile >> 20) MiB, so not one result document; several documents need a file each", at: path
      )
    }
    return try parse(bytes, place: path)
  }

  /// Parses the documents in the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - place: the name of the file in errors.
  /// - Throws: ``InputError`` if the bytes are not JSON, have a schema other than ``schema``, or contain no document, a
  ///   repeated key or an invalid value. An error about a value contains the path of the value.
  public static func parse(_ bytes: [UInt8], place: String) throws(InputError) -> [ResultDocument] {
    do {
      // Some editors write a byte order mark, which has no meaning in UTF-8.
      let bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
      let end = bytes.last { !" \t\r\n".utf8.contains($0) }
      if bytes.first == UInt8(ascii: "<") {
        throw InputError(
          "a page or XML; only a result document can be read, which --export FILE.json writes", at: place)
      }
      guard end == UInt8(ascii: "}") || end == UInt8(ascii: "]") else {
        throw InputError("not JSON, or cut off: the text does not end with '}' or ']'", at: place)
      }
      let isArray = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "[")
      let data = Data(bytes)
      let documents: [ResultDocument]
      do {
        documents = try isArray ? decode([ResultDocument].self, data) : [decode(ResultDocument.self, data)]
      } catch {
        // If the schema is wrong, an error about a value would be misleading, so the schema is reported first.
        try refuseOtherSchemas(isArray ? decode([Header].self, data) : [decode(Header.self, data)], place)
        throw error
      }
      try refuseOtherSchemas(documents.map { Header(schema: $0.schema) }, place)
      guard !documents.isEmpty else { throw InputError("an empty list of result documents", at: place) }
      if let path = RepeatedKey.path(in: bytes) {
        throw InputError("\(path): the key occurs twice in one object", at: place)
      }
      for document in documents { try document.validate() }
      return documents
    } catch let error as InputError { throw error.at(place) } catch { throw InputError("\(error)", at: place) }
  }

  private struct Header: Decodable { let schema: String? }

  private static func refuseOtherSchemas(_ headers: [Header], _ place: String) throws(InputError) {
    for header in headers where header.schema != schema {
      let found = header.schema.map { "schema '\($0)'" } ?? "no schema"
      throw InputError("\(found), expected '\(schema)': not a result document of this lab", at: place)
    }
  }

  private static func decode<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
    do { return try JSONDecoder().decode(type, from: data) } catch let error as DecodingError { throw explain(error) }
  }

  /// Returns an error with the path of the value: `runs[3].metrics.elapsed.p50: expected Double`.
  private static func explain(_ error: DecodingError) -> InputError {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .keyNotFound(let key, let found): (context, problem) = (found, "'\(key.stringValue)' is missing")
    case .typeMismatch(_, let found), .valueNotFound(_, let found): (context, problem) = (found, found.debugDescription)
    case .dataCorrupted(let found):
      // An error without a path means that the text is not JSON.
      (context, problem) = (found, (found.codingPath.isEmpty ? "not JSON: " : "") + found.debugDescription)
    @unknown default: return InputError("\(error)")
    }
    var path = ""
    for key in context.codingPath {
      path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
    }
    return InputError((path.isEmpty ? "" : path + ": ") + problem)
  }
}
