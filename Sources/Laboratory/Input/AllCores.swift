import Platform
import Synchronization

/// Calls `make` with each index below `count`, on several threads at once, and returns the results in the order of the
/// indices.
///
/// The function starts its own threads, since Dispatch requires file descriptors, and too few descriptors may be
/// available. If no thread can be started, the calling thread does all of the work.
func onAllCores<Made: Sendable>(_ count: Int, _ make: @escaping @Sendable (Int) -> Made) -> [Made] {
  let work = SharedWork<Made>(count)
  let makeOn: @Sendable () -> Void = { while let index = work.next() { work.put(make(index), at: index) } }
  let helpers = (1..<max(1, min(Host.cores, 4))).compactMap { _ in try? SystemThread { makeOn() } }
  makeOn()
  for helper in helpers { helper.join() }
  return work.made
}

/// A set of indices that threads take one after the other, and the results for these indices.
private final class SharedWork<Made: Sendable>: Sendable {
  private let taken = Atomic<Int>(0)
  private let results: Mutex<[Made?]>
  private let count: Int

  init(_ count: Int) {
    self.count = count
    results = Mutex(Array(repeating: nil, count: count))
  }

  /// Returns an index that no other thread has taken; nil if all indices are taken.
  func next() -> Int? {
    let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }

  func put(_ made: Made, at index: Int) { results.withLock { $0[index] = made } }

  var made: [Made] { results.withLock { $0.compactMap(\.self) } }
}
