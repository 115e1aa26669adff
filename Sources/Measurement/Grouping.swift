extension Sequence {
  /// Returns the elements in groups with equal keys. The groups are in the order of their first elements.
  public func grouped<Key: Equatable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    reduce(into: []) { groups, element in
      let key = key(element)
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].elements.append(element)
      } else {
        groups.append((key, [element]))
      }
    }
  }
}

extension Sequence where Element: Equatable {
  /// The elements without repetitions, in the order of their first occurrences.
  public var distinct: [Element] { grouped(by: \.self).map(\.key) }

  /// The runs of equal adjacent elements, in order: each element with the length of its run.
  public var equalRuns: [(element: Element, count: Int)] {
    reduce(into: []) { runs, element in
      if runs.last?.element == element {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((element, 1))
      }
    }
  }
}

extension [String] {
  /// Returns the elements as a list with `word` before the last item: `a`, `a and b`, `a, b and c`. If there are more
  /// than `most` elements, the list contains the first `most - 1` elements and the number of the other elements:
  /// `a, b and 4 more`.
  public func listed(_ word: String = "and", most: Int = .max) -> String {
    if count <= 1 { return first ?? "" }
    if count > most { return prefix(most - 1).joined(separator: ", ") + " \(word) \(count - most + 1) more" }
    return dropLast().joined(separator: ", ") + " \(word) \(self[count - 1])"
  }

  /// Returns the first `most` elements, and the number of the other elements, if there are any: `a, b, c`, or `a, b, c
  /// and 4 more`. With semicolons as separators, the text is `a; b; c; and 4 more`.
  public func abridged(to most: Int, separator: String = ", ") -> String {
    let more = separator == "; " ? "; and" : " and"
    return prefix(most).joined(separator: separator) + (count > most ? "\(more) \(count - most) more" : "")
  }
}

extension Int {
  /// Returns the number with a noun, such as `1 round` or `2 rounds`.
  ///
  /// - Parameter plural: the noun for numbers other than 1; nil for the noun with an s.
  public func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }

  /// Returns the words for a part of some settings, runs or other things: `2 of the 4 settings`, or `both settings`.
  ///
  /// - Parameter noun: the word for several of them.
  public func of(_ all: Int, _ noun: String = "settings") -> String {
    guard self == all else { return "\(self) of the \(all) \(noun)" }
    return all == 1 ? "the only measured setting" : "\(all == 2 ? "both" : "all \(all)") \(noun)"
  }

  /// The number with commas between groups of three digits, for prose, such as `40,330`. A number of up to four digits
  /// is not grouped.
  public var withCommas: String { withUnderscores.replacing("_", with: ",") }

  /// The number with underscores between groups of three digits, for scenario files, such as `1_000_000`. A number of
  /// up to four digits is not grouped.
  public var withUnderscores: String {
    let digits = String(magnitude)
    guard digits.count > 4 else { return String(self) }
    var groups: [Substring] = []
    var rest = Substring(digits)
    while !rest.isEmpty {
      groups.append(rest.suffix(3))
      rest = rest.dropLast(3)
    }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: "_")
  }
}

extension Dictionary {
  /// Creates a dictionary of keys and values. If a key occurs several times, the dictionary contains its first value.
  public init(firstOf pairs: some Sequence<(Key, Value)>) {
    self.init(pairs, uniquingKeysWith: { first, _ in first })
  }
}
