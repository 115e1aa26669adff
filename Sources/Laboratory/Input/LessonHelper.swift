/// A helper that a lesson's code names without showing it, and that does not belong to the system: a function, a type,
/// or a member of a type.
package struct LessonHelper: Sendable, Hashable {
  /// The name as the code writes it: `measure`, `library.append`.
  package let name: String
  /// A summary of the helper: the first sentence of its documentation; nil if it has none.
  package let summary: String?
}
