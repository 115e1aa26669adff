import Exploration
import Instruments

/// The requirements of a pattern whose bodies use models, so that it can be explored.
protocol ModelledPattern: Sendable {
  static var name: String { get }
  var problem: [any Declaration] { get }
  @VariantList var variants: [ModelledVariant] { get }
  init()
  func longest(_ trial: Trial) -> Duration?
}

extension ModelledPattern {
  var problem: [any Declaration] { [] }
  func longest(_ trial: Trial) -> Duration? { nil }

  /// Returns the pattern for an exploration. Each schedule creates the pattern anew and executes the body of one
  /// variant once.
  ///
  /// - Parameters:
  ///   - obstacles: the reasons why variants cannot be explored, by the name of the variant. The result lists last
  ///     the variants that are not compiled in this module.
  ///   - settings: the settings of each execution. Small settings limit the number of schedules.
  ///   - alsoBroken: the names of variants that are not marked as broken, but break their promise according to a claim
  ///     of a scenario.
  ///   - leavesOut: a description of the features that only this pattern's model omits; nil if there are no such
  ///     features.
  static func explored(
    _ obstacles: KeyValuePairs<String, String> = [:], settings: [String: ParameterValue] = [:],
    alsoBroken: Set<String> = [], leavesOut: String? = nil
  ) -> ExploredPattern {
    // Only the names and the roles of these variants are used, since each schedule must create the bodies anew.
    let declared = declared
    let others = obstacles.filter { name, _ in !declared.contains { $0.name == name } }
    return ExploredPattern(
      name, leavesOut: leavesOut,
      declared.enumerated().map { index, variant in
        let isBroken = variant.role == .broken || alsoBroken.contains(variant.name)
        if let obstacle = obstacles.first(where: { $0.key == variant.name })?.value {
          return .init(variant.name, isBroken: isBroken, obstacle: obstacle)
        }
        return .init(variant.name, isBroken: isBroken) { Self().variants[index].run(settings) }
      } + others.map { .init($0.key, isBroken: false, obstacle: $0.value) })
  }

  /// The variants of the pattern, created in a separate execution.
  private static var declared: [ModelledVariant] {
    let declared = DeclaredVariants()
    _ = try? Explorer { declared.variants = Self().variants }.replay([])
    return declared.variants
  }
}

/// Storage for the variants of a pattern.
private final class DeclaredVariants: @unchecked Sendable {
  var variants: [ModelledVariant] = []
}
