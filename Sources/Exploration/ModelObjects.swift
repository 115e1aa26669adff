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

/// A model of a lock that one thread holds at a time.
public final class ModelLock: @unchecked Sendable {
  private let name: String
  private let execution = Execution.now
  private let object: Int
  private var holder: Strand?

  /// Creates an unlocked lock with a name for descriptions of steps.
  public init(_ name: String = "the lock") {
    self.name = name
    object = execution.makeObject()
  }

  /// Executes `body` while no other thread holds the lock, and returns its result.
  public func withLock<Result>(_ body: (()) throws -> Result) rethrows -> Result {
    execution.step(.changing(self.object), "waits for \(self.name), which \(self.holder?.name ?? "no thread") holds") {
      self.holder == nil
    }
    execution.describe("locks \(name)")
    holder = execution.current
    execution.hold([object])
    defer {
      holder = nil
      execution.release([object])
    }
    return try body(())
  }
}

/// A model of `Mutex`: a value that one thread accesses at a time. Each call is a step.
public final class ModelMutex<Value>: @unchecked Sendable {
  private let lock = ModelLock("the mutex")
  private var value: Value

  /// Creates an unlocked mutex that protects a value.
  public init(_ value: Value) { self.value = value }

  /// Executes `body` with exclusive access to the value, and returns its result.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { _ in
      defer { Execution.note("leaves \(value) in the mutex") }
      return try body(&value)
    }
  }
}

/// A model of a lock that many readers or one writer hold at a time.
public final class ModelReadersWriterLock: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var readers = 0
  private var isWritten = false

  /// Creates an unlocked lock.
  public init() { object = execution.makeObject() }

  /// Executes `body` while no writer holds the lock, and returns its result.
  public func withReadLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    execution.step(.changing(self.object), "waits for the lock to read") { !self.isWritten }
    execution.describe("locks to read")
    readers += 1
    execution.hold([object])
    defer {
      readers -= 1
      execution.release([object])
    }
    return try body()
  }

  /// Executes `body` while no other thread holds the lock, and returns its result.
  public func withWriteLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    execution.step(.changing(self.object), "waits for the lock to write") { !self.isWritten && self.readers == 0 }
    execution.describe("locks to write")
    isWritten = true
    execution.hold([object])
    defer {
      isWritten = false
      execution.release([object])
    }
    return try body()
  }
}

/// A model of a counting semaphore.
public final class ModelSemaphore: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var value: Int

  /// Creates a semaphore with an initial value.
  public init(value: Int) {
    self.value = value
    object = execution.makeObject()
  }

  /// Waits until the value is above 0, and decrements it.
  public func wait() {
    execution.step(.changing(self.object), "waits for a signal of the semaphore") { self.value > 0 }
    value -= 1
    execution.describe("passes the semaphore")
  }

  /// Increments the value, and returns 0.
  @discardableResult public func signal() -> Int {
    execution.step(.incrementing(self.object), "signals the semaphore")
    value += 1
    execution.describe("signals the semaphore")
    return 0
  }
}

/// A model of the predicate of `dispatch_once`. The first closure is executed, and other callers wait until this
/// closure has returned.
public final class ModelOnce: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var isRunning = false
  private var isDone = false

  /// Creates a predicate for which no closure has been executed.
  public init() { object = execution.makeObject() }

  /// Waits while another closure is running. Then executes `body` if no closure has been executed.
  public func once(_ body: () -> Void) {
    execution.step(.changing(self.object), "waits for the end of dispatch_once") { !self.isRunning }
    if isDone { return execution.describe("finds that dispatch_once is done") }
    execution.describe("begins dispatch_once")
    isRunning = true
    execution.hold([object])
    body()
    isRunning = false
    isDone = true
    execution.release([object])
  }
}

/// A model of a barrier at which each thread waits until all threads have arrived.
public final class ModelBarrier: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private let parties: Int
  private var arrived = 0

  /// Creates a barrier for `parties` threads. A barrier can be used once.
  public init(parties: Int) {
    self.parties = parties
    object = execution.makeObject()
  }

  /// Waits until all threads have arrived.
  public func wait() {
    execution.step(.changing(self.object), "arrives at the meeting point")
    arrived += 1
    execution.describe("arrives at the meeting point")
    execution.step(.changing(self.object), "waits for the others at the meeting point") { self.arrived >= self.parties }
    execution.describe("continues from the meeting point")
  }
}
