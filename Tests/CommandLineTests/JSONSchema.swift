import LabTesting
import Platform
import Testing

/// A validator for the part of JSON Schema (2020-12) that the published schema uses. An unknown keyword is a violation,
/// so that the whole schema is checked.
struct JSONSchema {
  let root: JSONValue

  /// Returns the published schema of result documents.
  static func ofResults() throws -> JSONSchema {
    let sources = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Sources"
    let text = try #require(readFile("\(sources)/Reporting/gcdlab.result-2.schema.json"))
    return JSONSchema(root: try JSONValue(text))
  }

  /// Returns the violations in `value`, each with its path; empty if `value` conforms.
  func violations(_ value: JSONValue) -> [String] { check(value, root, "") }

  private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
    guard case .object(let keywords) = schema else { return ["\(path): the schema is no object"] }
    return keywords.flatMap { keyword, wanted in check(value, keyword, wanted, keywords, path) }
  }

  private func check(
    _ value: JSONValue, _ keyword: String, _ wanted: JSONValue, _ keywords: [String: JSONValue], _ path: String
  ) -> [String] {
    func failed() -> [String] { ["\(path): \(keyword) \(wanted)"] }
    switch (keyword, wanted) {
    case ("$schema", _), ("$id", _), ("title", _), ("description", _), ("$defs", _): return []
    case ("$ref", .text(let reference)):
      guard let name = reference.split(separator: "/").last, let schema = root["$defs"]?[String(name)] else {
        return failed()
      }
      return check(value, schema, path)
    case ("const", _): return value == wanted ? [] : failed()
    case ("enum", .list(let allowed)): return allowed.contains(value) ? [] : failed()
    case ("type", .text(let type)): return isType(value, type) ? [] : failed()
    case ("type", .list(let types)):
      return types.contains { if case .text(let type) = $0 { isType(value, type) } else { false } } ? [] : failed()
    case ("minimum", .number(let least)):
      if case .number(let number) = value, number < least { return failed() }
      return []
    case ("pattern", .text(let pattern)):
      guard case .text(let text) = value, let regex = try? Regex(pattern) else { return failed() }
      return text.firstMatch(of: regex) == nil ? failed() : []
    case ("required", .list(let names)):
      return names.filter { if case .text(let name) = $0 { value[name] == nil } else { true } }.map {
        "\(path): \($0) is missing"
      }
    case ("properties", .object(let schemas)):
      return schemas.flatMap { name, schema in value[name].map { check($0, schema, "\(path).\(name)") } ?? [] }
    case ("additionalProperties", _):
      guard case .object(let fields) = value else { return [] }
      let known = if case .object(let schemas)? = keywords["properties"] { Set(schemas.keys) } else { Set<String>() }
      return fields.filter { !known.contains($0.key) }.flatMap { name, field in
        wanted == .bool(false) ? ["\(path).\(name) is unknown"] : check(field, wanted, "\(path).\(name)")
      }
    case ("items", _):
      guard case .list(let items) = value else { return [] }
      return items.enumerated().flatMap { check($0.element, wanted, "\(path)[\($0.offset)]") }
    case ("minItems", .number(let least)):
      if case .list(let items) = value, Double(items.count) < least { return failed() }
      return []
    case ("maxItems", .number(let most)):
      if case .list(let items) = value, Double(items.count) > most { return failed() }
      return []
    default: return ["the schema's keyword \(keyword) is not known to this validator"]
    }
  }

  private func isType(_ value: JSONValue, _ type: String) -> Bool {
    switch (type, value) {
    case ("object", .object), ("array", .list), ("string", .text), ("number", .number), ("boolean", .bool): true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
