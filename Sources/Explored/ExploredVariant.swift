import Exploration
import Instruments

/// The part of a variant that its exploration needs: its name, its role and its body.
///
/// The initializers have the parameters of those of trials, so that the same files compile. The requirements, the
/// ending and the service of the main queue concern only a process that runs a trial.
struct ExploredVariant: Sendable {
  typealias Role = Laboratory.Variant.Role

  let name: String
  let role: Role
  private let body: @Sendable (Trial) throws -> Void

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

  /// Runs the body once. An error breaks the promise of the execution.
  func run(_ settings: [String: ParameterValue]) {
    let trial = Trial(variant: name, parameters: settings, work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
    do { try body(trial) } catch { Execution.breaks("error: \(error)") }
  }
}

/// Lets a pattern list its variants one below the other.
@resultBuilder enum VariantList {
  static func buildExpression(_ variant: ExploredVariant) -> [ExploredVariant] { [variant] }
  static func buildExpression(_ variants: [ExploredVariant]) -> [ExploredVariant] { variants }
  static func buildBlock(_ parts: [ExploredVariant]...) -> [ExploredVariant] { parts.flatMap(\.self) }
}
