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
