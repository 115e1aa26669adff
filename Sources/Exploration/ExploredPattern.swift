/// A pattern whose variants can be explored.
public struct ExploredPattern: Sendable {
  /// A variant of an explored pattern.
  public struct Variant: Sendable {
    /// The name of the variant, as in scenario files.
    public let name: String
    /// Whether the variant is expected to break its promise.
    public let isBroken: Bool
    /// A closure that executes the variant once, within the calling thread's execution; nil if the variant cannot be
    /// explored.
    public let program: (@Sendable () -> Void)?
    /// The reason why the variant cannot be explored; nil if the variant can be explored.
    public let obstacle: String?

    /// Creates a variant that can be explored.
    public init(_ name: String, isBroken: Bool, program: @escaping @Sendable () -> Void) {
      self.name = name
      self.isBroken = isBroken
      self.program = program
      obstacle = nil
    }

    /// Creates a variant that cannot be explored.
    public init(_ name: String, isBroken: Bool, obstacle: String) {
      self.name = name
      self.isBroken = isBroken
      program = nil
      self.obstacle = obstacle
    }
  }

  /// The name of the pattern.
  public let name: String
  /// A description of the features that only this pattern's model omits; nil if there are no such features.
  public let leavesOut: String?
  /// The variants, in the order in which the pattern lists them.
  public let variants: [Variant]

  /// Creates a pattern from its name, a description of what its model omits, and its variants.
  public init(_ name: String, leavesOut: String? = nil, _ variants: [Variant]) {
    self.name = name
    self.leavesOut = leavesOut
    self.variants = variants
  }
}
