/// A reader of the conclusions in a scenario file:
///
/// ```yaml
/// conclusions:
///   - if: [naive.lost > 0, not queue.cost < mutex.cost]   # checks of this file's claims: borne out, or refuted
///     says: Lock it. On {system}, without a lock {naive.lost of naive.sent} were lost.
/// ```
struct ConclusionReader {
  let reader: ClaimReader
  let claims: [Claim]

  private static let keys = ["if", "says"]
  private static let not = "not "

  func conclusions(_ root: Mapping) throws(InputError) -> [Conclusion] {
    var conclusions: [Conclusion] = []
    for node in try root.list("conclusions") {
      let fields = try Mapping(node, "a conclusion")
      try fields.allow(Self.keys)
      conclusions.append(Conclusion(conditions: try conditions(fields), parts: try parts(fields)))
    }
    return conclusions
  }

  /// Returns the conditions of a conclusion. At least one condition is required: a conclusion without conditions would
  /// be shown regardless of the results.
  private func conditions(_ fields: Mapping) throws(InputError) -> [Conclusion.Condition] {
    let nodes = try fields.list("if")
    guard !nodes.isEmpty else { throw fields.owner.error("a conclusion needs 'if': checks of claims") }
    let known = claims.map(\.check.text)
    var conditions: [Conclusion.Condition] = []
    for node in nodes {
      let isRefuted = node.text.hasPrefix(Self.not)
      let check = String(node.text.dropFirst(isRefuted ? Self.not.count : 0))
      guard let written = WrittenCheck(check), claims.contains(where: { $0.check.written == written }) else {
        throw node.error("'\(check)' is not the check of a claim in this file", near: check, of: known)
      }
      conditions.append(Conclusion.Condition(check: written, isRefuted: isRefuted))
    }
    return conditions
  }

  private func parts(_ fields: Mapping) throws(InputError) -> [Conclusion.Part] {
    var parts: [Conclusion.Part] = []
    do throws(InputError) {
      for (index, piece) in try fields.text("says").split(separator: "{", omittingEmptySubsequences: false).enumerated()
      {
        guard index > 0 else {
          parts.append(.text(String(piece)))
          continue
        }
        guard let end = piece.firstIndex(of: "}") else { throw InputError("says: '{' is not closed by '}'") }
        parts += [try figure(piece[..<end]), .text(String(piece[piece.index(after: end)...]))]
      }
    } catch { throw error.at(fields.node("says").place) }
    return parts
  }

  private func figure(_ text: Substring) throws(InputError) -> Conclusion.Part {
    if text == "system" { return .system }
    for (sign, part) in [(" / ", Conclusion.Part.ratio), (" of ", Conclusion.Part.share)] {
      guard let range = text.firstRange(of: sign) else { continue }
      let (left, right) = (try reference(text[..<range.lowerBound]), try reference(text[range.upperBound...]))
      guard left.metric.unit == right.metric.unit else {
        throw InputError("'\(text)': the two figures have different units")
      }
      return part(left, right)
    }
    return .figure(try reference(text))
  }

  private func reference(_ text: Substring) throws(InputError) -> Check.Reference {
    try reader.reference(String(text))
  }
}
