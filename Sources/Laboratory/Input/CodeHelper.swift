/// A function, a type or a member of a type that the code of a variant names and does not include. A helper is part of
/// the lab, and not part of the system.
package struct CodeHelper: Sendable, Hashable {
  /// The name of the helper in the code, for example `measure` or `library.append`.
  package let name: String
  /// The first sentence of the helper's documentation; nil if the helper has no documentation.
  package let summary: String?
}
