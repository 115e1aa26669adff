import Exploration
import Instruments

/// A pattern, as far as its exploration needs it.
protocol Pattern: Sendable {
  static var name: String { get }
  var problem: [any Declaration] { get }
  @VariantList var variants: [Variant] { get }
  init()
  func longest(_ trial: Trial) -> Duration?
}

extension Pattern {
  var problem: [any Declaration] { [] }
  func longest(_ trial: Trial) -> Duration? { nil }

  /// The pattern's variants for an exploration. Each schedule creates the pattern anew and runs one body once.
  ///
  /// - Parameters:
  ///   - obstacles: why variants cannot be explored, by their names. A variant that is not compiled here comes last.
  ///   - settings: the settings of the trials, which are small.
  ///   - alsoBroken: the documented variants that break their promise, as a claim of the scenario says.
  ///   - leavesOut: what the model of this scenario leaves out, in sentences; nil for nothing beside what holds of all.
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
        return .init(variant.name, isBroken: isBroken) {
          let variant = Self().variants[index]
          let trial = Trial(
            variant: variant.name, parameters: settings, work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
          do { try variant.body(trial) } catch { Execution.breaks("error: \(error)") }
        }
      } + others.map { .init($0.key, isBroken: false, obstacle: $0.value) })
  }

  /// The variants, created under an execution of their own.
  private static var declared: [Variant] {
    let found = Found()
    _ = try? Explorer { found.variants = Self().variants }.replay([])
    return found.variants
  }
}

/// Unchecked: everything happens on the thread that explores.
private final class Found: @unchecked Sendable {
  var variants: [Variant] = []
}

/// A variant of a pattern, with its body.
struct Variant: Sendable {
  typealias Role = Laboratory.Variant.Role

  let name: String
  let role: Role
  let body: @Sendable (Trial) throws -> Void

  init(
    _ name: String, _ role: Role, _ summary: String,
    ends ending: Ending = .completes, needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain,
    _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.role = role
    self.body = body
  }

  /// Creates a variant that `probe` runs.
  init<Body: Sendable>(
    _ name: String, _ role: Role, _ summary: String, _ probe: Probe<Body>, ends ending: Ending = .completes,
    needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain, _ body: Body
  ) {
    self.init(name, role, summary) { trial in try probe(trial, body) }
  }

  /// Creates a variant whose body is a task.
  init(
    _ name: String, _ role: Role, _ summary: String,
    ends ending: Ending = .completes, needs: [Requirement] = [],
    _ body: @escaping @Sendable (Trial) async throws -> Void
  ) {
    self.init(name, role, summary) { trial in try waitFor { try await body(trial) } }
  }
}

/// Lets a pattern list its variants one below the other.
@resultBuilder enum VariantList {
  static func buildExpression(_ variant: Variant) -> [Variant] { [variant] }
  static func buildExpression(_ variants: [Variant]) -> [Variant] { variants }
  static func buildBlock(_ parts: [Variant]...) -> [Variant] { parts.flatMap(\.self) }
}
