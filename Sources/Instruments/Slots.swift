import Measurement

/// One slot a task or thread: each is written by its owner alone, and all are read when every owner has ended. So
/// recording needs no lock and allocates nothing.
///
/// Values that take care of themselves, such as an `Atomic`, may be shared by all at any time.
///
/// Unchecked: a slot belongs to its owner until the owners have ended, which whoever reads has awaited.
public final class Slots<Value: ~Copyable & Sendable>: @unchecked Sendable {
  /// The number of slots.
  public let count: Int
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let step: Int

  /// Two cache lines: a core fetches the neighbour of a line along with it.
  private static var apart: Int { 128 }

  /// Makes all slots.
  ///
  /// - Parameters:
  ///   - padded: keeps slots on cache lines of their own, where owners write often or race: neighbours on one line slow
  ///     each other down.
  ///   - value: the first value of a slot.
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
    assert(index >= 0 && index < count)
    return (memory + index &* step).assumingMemoryBound(to: Value.self)
  }

  /// The slot of owner `index`.
  @inlinable @inline(__always)
  public subscript(index: Int) -> Value {
    _read { yield slot(index).pointee }
    _modify { yield &slot(index).pointee }
  }
}

extension Slots where Value: Copyable {
  /// Makes all slots with the same value.
  public convenience init(count: Int, padded: Bool = false, of value: Value) {
    self.init(count: count, padded: padded) { _ in value }
  }

  /// What all owners have left, once they have ended.
  public var values: [Value] { (0..<count).map { self[$0] } }
}

/// Durations: nil for an owner that measured none.
extension Slots where Value == UInt64? {
  /// Notes how long `body` took owner `index`.
  @inlinable @inline(__always)
  public func time<Failure: Error>(_ index: Int, _ body: () throws(Failure) -> Void) throws(Failure) {
    self[index] = try MonotonicClock.time(body)
  }

  /// What was measured.
  public var histogram: LatencyHistogram { LatencyHistogram(values) }
}
