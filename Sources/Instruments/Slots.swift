import Measurement

/// Values that are indexed by task or thread. Each slot is written only by its owner, and is read after all owners have
/// ended. Recording therefore takes no lock and allocates no memory.
///
/// Values that are thread-safe themselves, such as an `Atomic`, may be used by all owners at any time.
///
/// Conformance to `Sendable` is unchecked: until all owners have ended, each slot is used only by its owner. The reader
/// waits for the end of all owners.
public final class Slots<Value: ~Copyable & Sendable>: @unchecked Sendable {
  /// The number of slots.
  public let count: Int
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let step: Int

  /// The distance between padded slots in bytes: two cache lines, since a core fetches a line together with its
  /// neighbour.
  private static var apart: Int { 128 }

  /// Creates the slots.
  ///
  /// - Parameters:
  ///   - padded: whether each slot has its own cache lines. Without padding, owners that write often slow each other
  ///     down.
  ///   - value: a closure that returns the initial value of the slot at an index.
  public init(count: Int, padded: Bool = false, of value: (Int) -> Value) {
    self.count = count
    let alignment = max(Self.apart, MemoryLayout<Value>.alignment)
    let size = MemoryLayout<Value>.stride
    step = padded ? (size + alignment - 1) / alignment * alignment : size
    memory = .allocate(byteCount: max(1, count * step), alignment: alignment)
    for index in 0..<count { slot(index).initialize(to: value(index)) }
  }

  deinit {
    for index in 0..<count { slot(index).deinitialize(count: 1) }
    memory.deallocate()
  }

  @inlinable @inline(__always)
  func slot(_ index: Int) -> UnsafeMutablePointer<Value> {
    // Without the check, a wrong index would write to the memory of other objects. The check also runs in timed loops,
    // but `count` is beside `memory`, and the atomic operations of these loops take much longer.
    precondition(index >= 0 && index < count, "There is no slot with this index.")
    return (memory + index &* step).assumingMemoryBound(to: Value.self)
  }

  /// The slot at `index`, which must be 0 or more, and less than ``count``.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Value {
    _read { yield slot(index).pointee }
    _modify { yield &slot(index).pointee }
  }
}

extension Slots where Value: Copyable {
  /// Creates `count` slots, each with the same initial value.
  public convenience init(count: Int, padded: Bool = false, of value: Value) {
    self.init(count: count, padded: padded) { _ in value }
  }

  /// The values of all slots. Read this property when all owners have ended.
  public var values: [Value] { (0..<count).map { self[$0] } }
}

/// Slots of durations in nanoseconds. A slot is nil if its owner measured no duration.
extension Slots where Value == UInt64? {
  /// Executes `body` and stores its duration in the slot at an index.
  @inlinable @inline(__always)
  public func time<Failure: Error>(_ index: Int, _ body: () throws(Failure) -> Void) throws(Failure) {
    self[index] = try MonotonicClock.time(body)
  }

  /// A histogram of the durations that were measured.
  public var histogram: LatencyHistogram { LatencyHistogram(values) }
}
