import Laboratory

/// The path of a value in a result document, `runs[3].metrics.elapsed`, with functions that verify the value.
struct JSONPath {
  private(set) var path = ""

  /// The range of valid amounts in any unit. The amounts of all runs are far below the upper end of the range.
  static let anyAmount = 0...1e15

  subscript(_ name: String) -> JSONPath { JSONPath(path: path.isEmpty ? name : "\(path).\(name)") }
  subscript(_ index: Int) -> JSONPath { JSONPath(path: "\(path)[\(index)]") }

  func error(_ message: String) -> InputError { InputError("\(path): \(message)") }

  func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws(InputError) {
    if !holds { throw self.error(problem()) }
  }

  func require<Value: Comparable>(_ value: Value, in allowed: ClosedRange<Value>) throws(InputError) {
    try require(
      allowed.contains(value),
      "found \(Self.plain(value)), expected \(Self.plain(allowed.lowerBound)) to \(Self.plain(allowed.upperBound))")
  }

  /// Returns a number in its shortest form, such as `1e15` and `-1`. The descriptions of these numbers in Swift are
  /// `1000000000000000.0` and `-1.0`.
  private static func plain<Value>(_ value: Value) -> String {
    guard let number = value as? Double, let whole = Int64(exactly: number) else {
      return "\(value)".replacing("e+", with: "e")
    }
    let digits = "\(whole)"
    let zeros = digits.reversed().prefix { $0 == "0" }.count
    return zeros < 6 ? digits : "\(digits.dropLast(zeros))e\(zeros)"
  }

  func requireUnique(_ names: [String]) throws(InputError) {
    var seen: Set<String> = []
    for name in names { try require(seen.insert(name).inserted, "'\(name)' appears twice") }
  }

  func require(_ names: [String], among known: [String], _ what: String) throws(InputError) {
    try requireUnique(names)
    for name in names { try require(known.contains(name), "'\(name)' is not a \(what)") }
  }
}
