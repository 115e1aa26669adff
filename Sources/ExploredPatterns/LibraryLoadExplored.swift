import Exploration
import Instruments

/// A library with three sources. The first source enumerates an item synchronously, the second source enumerates an
/// item asynchronously, and the third source fails.
final class Library: @unchecked Sendable {
  /// An item of the library.
  struct Item: Sendable { fileprivate let number: Int }

  let queue = DispatchQueue.global()
  let itemsQueue = DispatchQueue(label: "items")
  let group = DispatchGroup()
  let mainQueue: DispatchQueue
  let media = Source("media", Item(number: 1))
  let assets = Source("assets", Item(number: 2))
  let bundle = Source("bundle", nil)
  private let count = Variable("count", 0)
  private var entries: [Int: Int] = [:]
  private var completions = 0

  init(mainQueue: DispatchQueue) { self.mainQueue = mainQueue }

  /// Appends an item in two steps. The first step reads the count. The second step stores the item at the index that
  /// the count gave, and stores the incremented count.
  func append(_ item: Item) {
    let index = count.value
    count.set(index + 1) {
      entries[index] = item.number
      return "stores item \(item.number) at place \(index)"
    }
  }

  /// Executes the completion handler of the load. An item that is not in the library exactly once is a broken promise.
  func completionHandler() {
    completions += 1
    // Reading the count is a step of the execution. An item whose append has not ended counts as missing.
    _ = count.value
    let missing = missing
    Execution.note("completes with \(2 - missing.count) of 2 items")
    if let item = missing.first { Execution.breaks("completed without item \(item)") }
  }

  private var missing: [Int] {
    let there = (0..<count.atEnd).compactMap { entries[$0] }
    return [1, 2].filter { item in there.count { $0 == item } != 1 }
  }

  fileprivate func judge() {
    if completions != 1 { Execution.breaks("the completion ran \(completions) times") }
    if let item = missing.first { Execution.breaks("item \(item) is lost") }
  }
}

/// A source of at most one item.
final class Source: Sendable {
  private let item: Library.Item?
  private let queue: DispatchQueue

  fileprivate init(_ name: String, _ item: Library.Item?) {
    self.item = item
    queue = DispatchQueue(label: name)
  }

  /// Calls `body` with the item, if the source has an item.
  func forEach(_ body: (Library.Item) -> Void) {
    if let item { body(item) }
  }

  /// Enumerates the item asynchronously, and returns immediately. Calls `each` with the item and then with nil. If the
  /// source has no item, calls `failure` instead.
  func enumerate(
    _ each: @escaping @Sendable (Library.Item?) -> Void, failure: @escaping @Sendable (any Error) -> Void
  ) {
    queue.async { [item] in
      guard let item else { return failure(Unavailable("the source fails")) }
      each(item)
      each(nil)
    }
  }

  /// A stream of the item. The stream finishes after the item, or without an item if the source fails.
  var items: AsyncStream<Library.Item> {
    AsyncStream { items in
      enumerate { item in
        if let item { items.yield(item) } else { items.finish() }
      } failure: { _ in
        items.finish()
      }
    }
  }
}

extension LibraryLoad {
  static let exploration = Self.explored()

  static func fault(of roots: String) -> String? { nil }

  typealias Loader = @Sendable (Library) -> Void

  var measure: Probe<Loader> {
    Probe { _, load in
      let library = Library(mainQueue: mainQueue)
      load(library)
      Execution.settle()
      library.judge()
    }
  }

  func measureEarly() -> Probe<Loader> { measure }
  func measureUnsynchronized() -> Probe<Loader> { measure }
}
