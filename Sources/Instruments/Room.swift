import Laboratory
import Platform

/// Makes sure of threads before Dispatch needs them: where the pool cannot have its own, Dispatch waits for them for
/// ever.
public struct ThreadRoom: Sendable {
  private let require: @Sendable (Int) throws -> Void

  /// The room of this process; a test gives another.
  public init(_ require: @escaping @Sendable (Int) throws -> Void = { try SystemThread.requireRoom(for: $0) }) {
    self.require = require
  }

  /// Makes sure of so many threads, and of some more for Dispatch and the lab.
  ///
  /// - Throws: ``Unavailable`` when they cannot be had.
  public func require(_ count: Int) throws {
    do { try require(count + 8) } catch { throw Unavailable("\(count) threads and some more are needed: \(error)") }
  }
}

extension ThreadCensus {
  /// What the threads of this process do now.
  ///
  /// - Throws: ``Unavailable`` where the system does not tell.
  public static func required() throws(Unavailable) -> ThreadCensus {
    guard let census = taken() else {
      throw Unavailable("what threads wait for must be told, and this system does not tell")
    }
    return census
  }
}
