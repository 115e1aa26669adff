import Exploration
import Instruments

/// The properties of a variant that an exploration requires: its name, its role and its body.
///
/// The initializers accept the arguments that patterns pass to the initializers of `Variant`. The source files of the
/// patterns therefore compile without changes. An exploration ignores all other properties of a variant.
struct ModelledVariant: Sendable {
  typealias Role = Laboratory.Variant.Role

  let name: String
  let role: Role
  private let body: @Sendable (Trial) throws -> Void

  init(
    _ name: String, _ role: Role, _ summary: String,
    ends ending: Ending = .completes, needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain,
    shows: [String] = [], _ body: @escaping @Sendable (Trial) throws -> Void
  ) {
    self.name = name
    self.role = role
    self.body = body
  }

  /// Creates a variant whose body is executed by `probe`.
  init<Body: Sendable>(
    _ name: String, _ role: Role, _ summary: String, _ probe: Probe<Body>, ends ending: Ending = .completes,
    needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain, shows: [String] = [], _ body: Body
  ) {
    self.init(name, role, summary) { trial in try probe(trial, body) }
  }

  /// Creates a variant with an asynchronous body.
  init(
    _ name: String, _ role: Role, _ summary: String,
    ends ending: Ending = .completes, needs: [Requirement] = [], mainQueue: MainQueueService = .dispatchMain,
    shows: [String] = [], _ body: @escaping @Sendable (Trial) async throws -> Void
  ) {
    self.init(name, role, summary) { trial in try waitFor { try await body(trial) } }
  }

  /// Executes the body once. An error of the body is recorded as a broken promise.
  func run(_ settings: [String: ParameterValue]) {
    let trial = Trial(variant: name, parameters: settings, work: CalibratedWork(stepsPerMicrosecond: 1), cores: 2)
    do { try body(trial) } catch { Execution.breaks("error: \(error)") }
  }
}

/// A result builder that collects the variants of a pattern in an array.
@resultBuilder enum VariantList {
  static func buildExpression(_ variant: ModelledVariant) -> [ModelledVariant] { [variant] }
  static func buildExpression(_ variants: [ModelledVariant]) -> [ModelledVariant] { variants }
  static func buildBlock(_ parts: [ModelledVariant]...) -> [ModelledVariant] { parts.flatMap(\.self) }
  static func buildArray(_ parts: [[ModelledVariant]]) -> [ModelledVariant] { parts.flatMap(\.self) }
}
