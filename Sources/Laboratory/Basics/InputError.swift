/// An error in the input: a scenario file, a flag or a value that cannot be used. The exit status is 64.
public struct InputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The place of the error, for example `stride.yml:12` or `--set`; empty while the place is unknown.
  public var place: String
  /// A description of the error, usually of the text that was found and of the text that was expected.
  public private(set) var message: String
  /// The allowed name that is nearest to the text that was found; nil if that text cannot be a typo of any allowed
  /// name.
  public let nearest: String?
  /// The allowed names, as `known: a, b`; empty if the error does not list them.
  public let list: String

  /// The list of names in an error.
  public enum List {
    /// The error lists no names.
    case nothing
    /// The error lists all names if it suggests none.
    case unlessNear
    /// The error lists all names after this word: `known`, or `allowed` for the words of a fixed vocabulary.
    case all(as: String)
    /// The error contains this text in place of the names.
    case text(String)
  }

  /// Creates an error. The error suggests the name in `names` that is nearest to `found`, if `found` may be a typo of
  /// that name.
  public init(
    _ message: String, at place: String = "", near found: String = "", of names: [String] = [],
    listing list: List = .nothing
  ) {
    self.place = place
    self.message = message
    nearest = names.nearest(to: found)
    func text(_ word: String) -> String { names.isEmpty ? "" : "\(word): \(names.joined(separator: ", "))" }
    self.list =
      switch list {
      case .nothing: ""
      case .unlessNear: nearest == nil ? text("known") : ""
      case .all(let word): text(word)
      case .text(let whole): whole
      }
  }

  /// Returns an error about an unknown name. The error suggests the nearest known name, and lists names as `list` says.
  ///
  /// - Parameters:
  ///   - kind: the kind of thing that is named, such as `variant`.
  ///   - name: the unknown name.
  ///   - whole: the name of the thing of which `known` are parts; nil for none.
  ///   - part: the part of the input that contains the name, such as `claim 1`; nil for none.
  ///   - place: the place of the error, for example `--variant`.
  ///   - known: the names that are known.
  ///   - list: the list of names in the error.
  public static func unknown(
    _ kind: String, _ name: String, of whole: String? = nil, in part: String? = nil, at place: String = "",
    known: [String], listing list: List = .all(as: "known")
  ) -> InputError {
    let origin = (whole.map { " of \($0)" } ?? "") + (part.map { " in \($0)" } ?? "")
    return InputError(
      "unknown \(kind) '\(name)'\(origin)", at: place, near: name, of: known, listing: list)
  }

  /// Returns the error with `subject` and a colon before its message.
  func about(_ subject: String) -> InputError {
    var error = self
    error.message = "\(subject): \(message)"
    return error
  }

  /// Returns the error with `place`. If the error already has a place, returns the error unchanged.
  public func at(_ place: String) -> InputError {
    var placed = self
    if placed.place.isEmpty { placed.place = place }
    return placed
  }

  /// The error message: `place: message; did you mean 'nearest'? (known: …)`. What is missing is omitted.
  public var description: String {
    (place.isEmpty ? "" : "\(place): ") + message + (nearest.map { "; did you mean '\($0)'?" } ?? "")
      + (list.isEmpty ? "" : " (\(list))")
  }
}

extension [String] {
  /// Returns the name nearest to `found` by edit distance; nil if `found` is empty, has more than 64 characters, or
  /// cannot be a typo of any name. A typo has a character in common with the name. If both words have up to four
  /// characters, a typo is at most one edit. Otherwise, a typo is at most two edits, or one edit for three characters
  /// of the longer word if that is more.
  ///
  /// A name that alone begins with `found` and a hyphen precedes a typo: `serial-loop` for `serial`. A name that alone
  /// begins with words near `found` follows a typo: `threads-per-core` for `treads`.
  public func nearest(to found: String) -> String? {
    let longer = filter { $0.hasPrefix(found + "-") }
    if longer.count == 1, !contains(found) { return longer[0] }
    if let typo = likely(for: found) { return typo }
    let words = found.split(separator: "-").count
    let beginnings = map { $0.split(separator: "-").prefix(words).joined(separator: "-") }
    guard let beginning = beginnings.distinct.likely(for: found) else { return nil }
    let places = indices.filter { beginnings[$0] == beginning }
    return places.count == 1 ? self[places[0]] : nil
  }

  /// Returns the name of which `found` is a typo; nil if there is none.
  private func likely(for found: String) -> String? {
    guard !found.isEmpty, found.count <= 64 else { return nil }
    let ranked = map { (name: $0, distance: $0.editDistance(to: found)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    let length = Swift.max(found.count, best.name.count)
    // Names without a character in common are no typos of each other.
    guard best.distance < length else { return nil }
    return best.distance <= Swift.max(length > 4 ? 2 : 1, length / 3) ? best.name : nil
  }

  /// Returns the `count` names nearest to `found` at any distance, in ascending order of distance. Only the first 64
  /// characters of `found` are compared. An error shows these names if the whole list is too long.
  public func nearest(_ count: Int, to found: String) -> [String] {
    let found = String(found.prefix(64))
    return map { (name: $0, distance: $0.editDistance(to: found)) }.sorted { $0.distance < $1.distance }.prefix(count)
      .map(\.name)
  }
}

extension String {
  /// Returns the smallest number of insertions, deletions, substitutions and swaps of adjacent characters that convert
  /// this text to `other` (optimal string alignment, after Damerau and Levenshtein).
  func editDistance(to other: String) -> Int {
    let (source, target) = (Array(self), Array(other))
    // The algorithm needs only the last two rows.
    var (before, row) = ([Int](), Array(0...target.count))
    for (i, character) in source.enumerated() {
      var next = [i + 1]
      for (j, wanted) in target.enumerated() {
        var least = Swift.min(row[j] + (character == wanted ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, character == target[j - 1], source[i - 1] == wanted {
          least = Swift.min(least, before[j - 1] + 1)
        }
        next.append(least)
      }
      (before, row) = (row, next)
    }
    return row[target.count]
  }
}
