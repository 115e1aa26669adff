import Platform
import Synchronization

/// What `make` makes of each index below `count`, on some threads at once.
///
/// Threads of its own: Dispatch needs descriptors, of which there may be too few. Without a thread it takes longer.
func onAllCores<Made: Sendable>(_ count: Int, _ make: @escaping @Sendable (Int) -> Made) -> [Made] {
  let work = SharedWork<Made>(count)
  let makeOn: @Sendable () -> Void = { while let index = work.next() { work.put(make(index), at: index) } }
  let helpers = (1..<max(1, min(Host.cores, 4))).compactMap { _ in try? SystemThread { makeOn() } }
  makeOn()
  for helper in helpers { helper.join() }
  return work.made
}

/// Indices that are taken one after the other, and what was made of them.
private final class SharedWork<Made: Sendable>: Sendable {
  private let taken = Atomic<Int>(0)
  private let results: Mutex<[Made?]>
  private let count: Int

  init(_ count: Int) {
    self.count = count
    results = Mutex(Array(repeating: nil, count: count))
  }

  /// An index that nobody else takes; nil when all are taken.
  func next() -> Int? {
    let index = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }

  func put(_ made: Made, at index: Int) { results.withLock { $0[index] = made } }

  var made: [Made] { results.withLock { $0.compactMap(\.self) } }
}
