import Exploration
import Instruments

/// The part of a pattern that its exploration needs.
protocol ExploredPattern: Sendable {
  static var name: String { get }
  var problem: [any Declaration] { get }
  @VariantList var variants: [ExploredVariant] { get }
  init()
  func longest(_ trial: Trial) -> Duration?
}

extension ExploredPattern {
  var problem: [any Declaration] { [] }
  func longest(_ trial: Trial) -> Duration? { nil }

  /// The pattern's variants for an exploration. Each schedule creates the pattern anew and runs one body once.
  ///
  /// - Parameters:
  ///   - obstacles: the reasons why variants cannot be explored, by the names of the variants. A variant that is not
  ///     compiled here comes last.
  ///   - settings: the settings of the trials, which are small.
  ///   - alsoBroken: the documented variants that break their promise, as a claim of the scenario says.
  ///   - leavesOut: what the model of this scenario leaves out, in sentences; nil if it leaves out only what every
  ///     model leaves out.
  static func explored(
    _ obstacles: KeyValuePairs<String, String> = [:], settings: [String: ParameterValue] = [:],
    alsoBroken: Set<String> = [], leavesOut: String? = nil
  ) -> ExploredScenario {
    // The names are known without an execution, the bodies are not.
    let declared = declared
    let others = obstacles.filter { name, _ in !declared.contains { $0.name == name } }
    return ExploredScenario(
      name, leavesOut: leavesOut,
      declared.enumerated().map { index, variant in
        let isBroken = variant.role == .broken || alsoBroken.contains(variant.name)
        if let obstacle = obstacles.first(where: { $0.key == variant.name })?.value {
          return .init(variant.name, isBroken: isBroken, obstacle: obstacle)
        }
        return .init(variant.name, isBroken: isBroken) { Self().variants[index].run(settings) }
      } + others.map { .init($0.key, isBroken: false, obstacle: $0.value) })
  }

  /// The variants, created under an execution of their own.
  private static var declared: [ExploredVariant] {
    let found = Found()
    _ = try? Explorer { found.variants = Self().variants }.replay([])
    return found.variants
  }
}

/// Unchecked: everything happens on the thread that explores.
private final class Found: @unchecked Sendable {
  var variants: [ExploredVariant] = []
}
