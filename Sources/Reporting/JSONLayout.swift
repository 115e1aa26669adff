/// The layout of JSON for people. A value that fits into a line is on one line. Long lists of small values fill their
/// lines. A histogram therefore does not have a line for each pair.
struct JSONLayout {
  private let bytes: [UInt8]
  /// The index of the byte that closes each list or object, stored at the index of the byte that opens the list or
  /// object.
  private var ends: [Int]
  private var output: [UInt8] = []

  private static let width = 110
  private static let small = 40

  /// Returns JSON text with line breaks and indentation.
  ///
  /// - Parameter json: the JSON text, without whitespace between its tokens.
  static func laidOut(_ json: [UInt8]) -> String {
    var layout = JSONLayout(json)
    layout.write(0..<json.count, indent: 0)
    return String(decoding: layout.output, as: UTF8.self)
  }

  private init(_ json: [UInt8]) {
    bytes = json
    ends = Array(repeating: 0, count: json.count)
    output.reserveCapacity(json.count * 5 / 4)
    var open: [Int] = []
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\""): index = endOfString(index)
      case UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if let start = open.popLast() { ends[start] = index }
      default: break
      }
      index += 1
    }
  }

  private func endOfString(_ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index
  }

  /// Returns the ranges of the elements of the list or object that begins at `start`.
  private func elements(_ start: Int) -> [Range<Int>] {
    var elements: [Range<Int>] = []
    var (first, index) = (start + 1, start + 1)
    while index < ends[start] {
      switch bytes[index] {
      case UInt8(ascii: "\""): index = endOfString(index)
      case UInt8(ascii: "["), UInt8(ascii: "{"): index = ends[index]
      case UInt8(ascii: ","):
        elements.append(first..<index)
        first = index + 1
      default: break
      }
      index += 1
    }
    return first < ends[start] ? elements + [first..<ends[start]] : elements
  }

  private mutating func write(_ range: Range<Int>, indent: Int) {
    var start = range.lowerBound
    // The name of a member comes before its value.
    if bytes[start] == UInt8(ascii: "\""), endOfString(start) + 1 < range.upperBound {
      let colon = endOfString(start) + 1
      output += bytes[start...colon]
      output.append(UInt8(ascii: " "))
      start = colon + 1
    }
    guard range.count + indent > Self.width, [UInt8(ascii: "["), UInt8(ascii: "{")].contains(bytes[start]) else {
      return writeLine(start..<range.upperBound)
    }
    let elements = elements(start)
    let fills = bytes[start] == UInt8(ascii: "[") && elements.allSatisfy { $0.count <= Self.small }
    output.append(bytes[start])
    var used = Self.width
    for (index, element) in elements.enumerated() {
      // The spaces after commas and colons make the text a little longer than the bytes.
      if !fills || used + element.count + 4 > Self.width {
        newLine(indent + 1)
        used = indent + 1
      } else {
        output.append(UInt8(ascii: " "))
      }
      used += element.count + 4
      fills ? writeLine(element) : write(element, indent: indent + 1)
      if index + 1 < elements.count { output.append(UInt8(ascii: ",")) }
    }
    newLine(indent)
    output.append(bytes[ends[start]])
  }

  private mutating func newLine(_ indent: Int) {
    output.append(UInt8(ascii: "\n"))
    output += Array(repeating: UInt8(ascii: " "), count: indent)
  }

  /// Writes a range of the bytes to the current line, with a space after each comma and colon.
  private mutating func writeLine(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        let end = endOfString(index)
        output += bytes[index...end]
        index = end
      } else {
        output.append(byte)
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") { output.append(UInt8(ascii: " ")) }
      }
      index += 1
    }
  }
}
