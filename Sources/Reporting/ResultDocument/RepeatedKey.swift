import FoundationEssentials

/// A search for keys that an object of a JSON text contains twice. JSON parsers disagree on the value of such a key.
enum RepeatedKey {
  /// An object or a list that the search has entered.
  private struct Level {
    let isObject: Bool
    /// The keys of the object that have been read so far.
    var keys: Set<String> = []
    var key = ""
    var index = 0
    var awaitsKey: Bool

    init(isObject: Bool) { (self.isObject, awaitsKey) = (isObject, isObject) }
  }

  /// Returns the path of the first repeated key, such as `runs[3].rounds`; nil if no key is repeated.
  ///
  /// - Parameter text: a text that a JSON decoder has accepted.
  static func path(in text: some RandomAccessCollection<UInt8>) -> String? {
    var levels: [Level] = []
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "{"): levels.append(Level(isObject: true))
      case UInt8(ascii: "["): levels.append(Level(isObject: false))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
      case UInt8(ascii: ",") where !levels.isEmpty:
        levels[levels.count - 1].index += 1
        levels[levels.count - 1].awaitsKey = levels[levels.count - 1].isObject
      case UInt8(ascii: "\""):
        let end = endOfString(in: text, from: index)
        if levels.last?.awaitsKey == true {
          let key = string(text[index...end])
          levels[levels.count - 1].awaitsKey = false
          levels[levels.count - 1].key = key
          if !levels[levels.count - 1].keys.insert(key).inserted { return path(levels) }
        }
        index = end
      default: break
      }
      index = text.index(after: index)
    }
    return nil
  }

  /// Returns the index of the quotation mark that ends the string that begins at `start`.
  private static func endOfString<Text: RandomAccessCollection<UInt8>>(in text: Text, from start: Text.Index)
    -> Text.Index
  {
    let last = text.index(before: text.endIndex)
    var index = text.index(after: start)
    while index < last, text[index] != UInt8(ascii: "\"") {
      if text[index] == UInt8(ascii: "\\") { index = text.index(after: index) }
      index = text.index(after: index)
    }
    return min(index, last)
  }

  /// Returns the characters of a JSON string without escapes. JSON can represent a character in several ways.
  private static func string(_ quoted: some Collection<UInt8>) -> String {
    (try? JSONDecoder().decode(String.self, from: Data(quoted)))
      ?? String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }

  private static func path(_ levels: [Level]) -> String {
    levels.reduce("") { path, level in
      level.isObject ? path + (path.isEmpty ? "" : ".") + level.key : path + "[\(level.index)]"
    }
  }
}
