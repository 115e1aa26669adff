import Laboratory
import Platform

/// A check, made before Dispatch needs threads, that the threads can be started. If the pool cannot start its threads,
/// Dispatch waits for them forever.
public struct ThreadCapacity: Sendable {
  private let require: @Sendable (Int) throws -> Void

  /// Creates the check for this process. Tests pass a closure of their own.
  public init(_ require: @escaping @Sendable (Int) throws -> Void = { try SystemThread.requireCapacity(for: $0) }) {
    self.require = require
  }

  /// Verifies that `count` threads and eight further threads for Dispatch and the lab can be started.
  ///
  /// - Throws: ``Unavailable`` if the threads cannot be started.
  public func require(_ count: Int) throws {
    do { try require(count + 8) } catch { throw Unavailable("\(count) threads and some more are needed: \(error)") }
  }
}

extension ThreadCensus {
  /// Returns a census of this process's threads.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public static func required() throws(Unavailable) -> ThreadCensus {
    guard let census = taken() else {
      throw Unavailable("this system does not report what threads wait for")
    }
    return census
  }
}
