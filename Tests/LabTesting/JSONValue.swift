import FoundationEssentials

/// A value of any JSON text.
public enum JSONValue: Codable, Equatable, Sendable {
  case null, bool(Bool), number(Double), text(String), list([JSONValue]), object([String: JSONValue])

  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Parses a JSON text.
  ///
  /// - Throws: The error of the decoder if the text is not JSON.
  public init(_ text: String) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let fields): try container.encode(fields)
    }
  }

  /// Returns the value as a JSON text.
  public func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

  /// The value of a key in an object; nil if the key is missing, or if this value is not an object.
  public subscript(key: String) -> JSONValue? {
    get { if case .object(let fields) = self { fields[key] } else { nil } }
    set {
      guard case .object(var fields) = self else { return }
      fields[key] = newValue
      self = .object(fields)
    }
  }

  /// The value at a path of keys and list indices: `runs.0.metrics`; nil if there is no value. Assigning nil removes
  /// the value. An index that equals the count of a list appends to the list.
  public subscript(at path: String) -> JSONValue? {
    get {
      path.split(separator: ".").reduce(Optional(self)) { value, part in
        if case .list(let values)? = value { Int(part).map { values[$0] } } else { value?[String(part)] }
      }
    }
    set {
      let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
      let rest = parts.count > 1 ? parts[1] : nil
      if case .list(var values) = self, let index = Int(parts[0]) {
        if let rest {
          values[index][at: rest] = newValue
        } else {
          values.replaceSubrange(index..<min(index + 1, values.count), with: [newValue].compactMap(\.self))
        }
        self = .list(values)
      } else if let rest {
        var inner = self[parts[0]] ?? .object([:])
        inner[at: rest] = newValue
        self[parts[0]] = inner
      } else {
        self[parts[0]] = newValue
      }
    }
  }
}
