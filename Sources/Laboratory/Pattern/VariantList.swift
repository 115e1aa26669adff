/// A result builder for the list of a pattern's variants.
@resultBuilder public enum VariantList {
  /// Returns an array of one variant.
  public static func buildExpression(_ variant: Variant) -> [Variant] { [variant] }
  /// Returns an array of several variants, such as one for each QoS class.
  public static func buildExpression(_ variants: [Variant]) -> [Variant] { variants }
  /// Returns the variants of all expressions, in the order of the source.
  public static func buildBlock(_ parts: [Variant]...) -> [Variant] { parts.flatMap(\.self) }
  /// Returns the variants of a `for` loop, in the order of the loop's elements.
  public static func buildArray(_ parts: [[Variant]]) -> [Variant] { parts.flatMap(\.self) }
}
