/// A variable that threads share. Each load and each store is a step.
public final class Shared<Value: Sendable>: @unchecked Sendable {
  private let name: String
  private let execution = Execution.now
  private let object: Int
  private var stored: Value
  private let words: (Value) -> String

  /// Creates a variable with an initial value.
  ///
  /// - Parameters:
  ///   - name: the name of the variable in descriptions of steps.
  ///   - words: a closure that returns the text for a value in descriptions of steps.
  public init(_ name: String, _ value: Value, words: @escaping (Value) -> String = { "\($0)" }) {
    self.name = name
    self.words = words
    stored = value
    object = execution.makeObject()
  }

  /// The value of the variable. Each read and each write is a step of the execution.
  public var value: Value {
    get {
      execution.step(.reading(self.object), "reads \(self.name)")
      if execution.isRecording { execution.describe("reads \(name): \(words(stored))") }
      return stored
    }
    set { set(newValue) { nil } }
  }

  /// Stores a value, and calls `alongside` in the same step.
  ///
  /// - Parameter alongside: a closure that returns a description of the step; nil for the default description.
  public func set(_ value: Value, _ alongside: () -> String?) {
    execution.step(.changing(self.object), "stores \(self.name)")
    stored = value
    let said = alongside()
    if execution.isRecording { execution.describe(said ?? "stores \(name): \(words(value))") }
  }

  /// The value of the variable. A read of this property is not a step. Use this property after all threads have ended,
  /// or in a step that changes the variable.
  public var atEnd: Value { stored }
}
