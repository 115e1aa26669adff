import Exploration
import Instruments

/// A pair of values that must be written together.
final class Pair: Sendable {
  /// The two values that a reader read.
  struct Values: Sendable {
    fileprivate let first, second: Int
    /// Whether the values come from different writes.
    var isTorn: Bool { first != second }
  }

  private let first = Variable("first", 0)
  private let second = Variable("second", 0)

  /// Reads both values, one after the other.
  func read() -> Values { Values(first: first.value, second: second.value) }

  /// Writes the next value to both variables, one after the other.
  func write() {
    let next = first.value + 1
    first.value = next
    second.value = next
  }

  /// Returns the number of lost writes, if the pair was written `writes` times. A write is lost if neither variable
  /// counts it.
  fileprivate func lost(of writes: Int) -> Int { writes - max(first.atEnd, second.atEnd) }
}

extension ReadersWriter {
  static let exploration = Self.explored()

  /// Executes two threads. Both threads write, and the second thread reads before it writes.
  func measure(
    _ trial: Trial, holdingUpTo limit: Duration? = nil, read: @escaping @Sendable (Pair) -> Pair.Values,
    write: @escaping @Sendable (Pair) -> Void
  ) throws {
    let pair = Pair()
    Execution.threads(2) { thread in
      if thread == 1, read(pair).isTorn { Execution.breaks("a torn read") }
      write(pair)
    }
    if pair.lost(of: 2) > 0 { Execution.breaks("a lost update") }
  }

  func measureTasks(
    _ trial: Trial, read: @escaping @Sendable (Pair) async -> Pair.Values,
    write: @escaping @Sendable (Pair) async -> Void
  ) throws {
    let pair = Pair()
    try waitFor {
      await withTaskGroup { group in
        for thread in 0..<2 {
          group.addTask {
            if thread == 1, await read(pair).isTorn { Execution.breaks("a torn read") }
            await write(pair)
          }
        }
      }
    }
    if pair.lost(of: 2) > 0 { Execution.breaks("a lost update") }
  }
}
