import Dispatch
import Instruments
import Synchronization

/// In a gated load, the items queue is inactive until the completion has run, or until a timeout after the end of the
/// sources. The number of items that are missing when the completion runs therefore does not depend on the speed of the
/// queue. An append in a gated load pauses between reading the count and storing the item, until a second append has
/// read the count or a time limit has passed. Two appends that can run at the same time therefore overlap, unless the
/// time limit passes first.
extension LibraryLoad {
  /// Returns an upper bound for the duration of a trial: the setting `hold` and ten seconds for each gated load, and
  /// 100 us for each item of the three sources in each other load.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .seconds(10)) * trial[gatedLoads] + .microseconds(300) * trial[items] * trial[repeats]
  }

  /// A function that starts the sources of a library, and submits the completion.
  typealias Loader = @Sendable (Library) -> Void

  /// A probe that repeatedly loads a library with a loader that should complete after the last item, and counts the
  /// items that are missing at the completion.
  var measure: Probe<Loader> {
    Probe(reads: settings + [hold], records: results) { trial, load in
      try measureLoads(trial, hold: trial[hold], pause: trial[hold], load)
    }
  }

  /// Returns a probe that loads a library with a loader that can complete early. In a gated load, the probe keeps the
  /// items queue inactive until the load has completed. The probe counts the items that are missing at the completion.
  ///
  /// - Parameter patience: the maximum time to wait for the completion after the end of the sources.
  func measureEarly(patience: Duration = .seconds(10)) -> Probe<Loader> {
    Probe(reads: settings, records: results) { trial, load in
      try measureLoads(trial, hold: patience, pause: .milliseconds(10), load)
    }
  }

  /// Returns a probe that loads a library whose sources append concurrently. In a gated load, the probe pauses an
  /// append until a second append has read the count. The probe counts the lost items.
  ///
  /// - Parameter patience: the maximum time to wait for the second append.
  func measureUnsynchronized(patience: Duration = .seconds(10)) -> Probe<Loader> {
    Probe(reads: settings, records: results) { trial, load in
      try measureLoads(trial, hold: .milliseconds(10), pause: patience, load)
    }
  }

  /// The settings of every trial.
  private var settings: [any Declaration] { [roots, items, qos, gatedLoads, repeats] }
  /// The metrics of every trial.
  private var results: [any Declaration] {
    [found, failures, missing, lost, notOnce, ungatedLoads, earlyCompletions, lateItems, completion, rate]
  }

  private func measureLoads(_ trial: Trial, hold: Duration, pause: Duration, _ load: Loader) throws {
    let roots = try Self.directories(trial[roots])
    let (count, repeats) = (trial[items], trial[repeats])
    let queue = DispatchQueue.global(qos: trial[qos].qos)
    // If the pool cannot start its threads, Dispatch waits for them forever.
    try SystemThread.requireCapacity(for: 6)
    let scratch = try ScratchDirectory()
    defer { scratch.remove() }
    func library(hold: Duration?) -> Library {
      Library(
        roots: roots, atMost: count, missing: scratch.file("removed"), queue: queue, mainQueue: mainQueue, hold: hold,
        pause: pause)
    }
    var loads: [Library] = []
    for _ in 0..<trial[gatedLoads] {
      let library = library(hold: hold)
      library.run(load)
      loads.append(library)
    }
    // The gated loads were the warm-up.
    var unheldMissing: [Int] = []
    for _ in 0..<repeats {
      let library = library(hold: nil)
      library.run(load)
      loads.append(library)
      unheldMissing.append(library.missing)
      if let time = library.completedAfterSources { trial.record(completion, time) }
      if let time = library.completedAfterCall, time > 0 {
        trial.record(rate, Double(library.found.count) * 1e9 / Double(time))
      }
    }
    // If a completion was submitted twice, both runs have ended when this call returns.
    mainQueue.sync {}
    if let library = loads.first(where: { $0.found.isEmpty }) {
      throw Unavailable("files are needed: there are none in \(library.roots.joined(separator: ", "))")
    }
    trial.record(found, loads.sum { $0.found.count })
    trial.record(failures, loads.sum { $0.failures })
    trial.record(missing, loads.sum { $0.missing })
    trial.record(ungatedLoads, unheldMissing.count)
    trial.record(earlyCompletions, unheldMissing.count { $0 > 0 })
    trial.record(lateItems, unheldMissing.reduce(0, +))
    trial.record(lost, loads.sum { $0.lost })
    trial.record(notOnce, loads.count { $0.completions.count != 1 })
  }

  /// Returns the directories in `roots`.
  ///
  /// - Throws: ``Unavailable`` if `roots` contains no path, or a path that is not a readable directory.
  static func directories(_ roots: String) throws(Unavailable) -> [String] {
    if let fault = fault(of: roots) { throw Unavailable("directories to walk are needed: \(fault)") }
    return paths(roots)
  }

  /// Returns a message about the first fault of `roots`; nil if there is no fault. Each path must be a readable
  /// directory, and there must be at least one path.
  static func fault(of roots: String) -> String? {
    guard !paths(roots).isEmpty else { return "no path in roots" }
    for path in paths(roots) {
      guard let directory = opendir(path) else { return SystemError(errno, "read the directory \(path)").description }
      closedir(directory)
    }
    return nil
  }

  private static func paths(_ roots: String) -> [String] { roots.split(separator: ":").map(String.init) }
}

/// The media library that one load fills, and the dispatch sources of the load.
final class Library: Sendable {
  /// An item of a library: a file, and a number that identifies the item.
  struct Item: Sendable {
    fileprivate let number: Int
    /// The path of the file.
    let path: String
  }

  /// The loader's global queue. Most loaders run ``media`` on this queue, and some also run their notify block on this
  /// queue.
  let queue: DispatchQueue
  /// The serial queue on which items are appended.
  let itemsQueue = DispatchQueue(label: "items", attributes: .initiallyInactive)
  /// The group of the sources.
  let group = DispatchGroup()
  /// The main queue, or its replacement in a test.
  let mainQueue: DispatchQueue
  /// A source that enumerates all its items synchronously.
  let media: Source
  /// A source that enumerates its items asynchronously.
  let assets: Source
  /// A source that enumerates its items asynchronously, and fails after half of them.
  let bundle: Source
  /// The root directories of the sources.
  let roots: [String]

  /// The identifying numbers of the items in the library. The first `count` entries are valid. The atomic accesses are
  /// relaxed, so only the synchronization of the loader orders them.
  private let entries: Slots<Atomic<Int>>
  private let count = Atomic<Int>(0)
  private let completion: TimedGate?
  /// The pause of an append between reading the count and storing the item; nil if appends do not pause. The pause ends
  /// when a second append reaches it, or at a time limit.
  private let pause: TimedGate?
  private let paused = Atomic<Int>(0)
  private let hasCompleted = DispatchSemaphore(value: 0)
  private let called = Moment()
  private let completed = Moment()
  /// For each completion, the number of times that each item was in the library.
  private let atCompletions = Mutex<[[Int: Int]]>([])
  private let end: SourcesEnd

  fileprivate init(
    roots: [String], atMost count: Int, missing: String, queue: DispatchQueue, mainQueue: DispatchQueue,
    hold: Duration?,
    pause: Duration
  ) {
    self.queue = queue
    self.mainQueue = mainQueue
    self.roots = roots
    let completion = hold.map { TimedGate(limit: $0) }
    self.completion = completion
    self.pause = hold.map { _ in TimedGate(limit: pause) }
    entries = Slots(count: 3 * count) { _ in Atomic(0) }
    let end = SourcesEnd(sources: 3) { completion?.startTimeLimit() }
    self.end = end
    func source(_ index: Int, _ paths: [Source.Path]) -> Source {
      Source(paths, numbers: index * count + 1, end: end)
    }
    media = source(0, [(roots[0], count)])
    assets = source(1, [(roots[1 % roots.count], count)])
    bundle = source(2, [(roots[2 % roots.count], count / 2), (missing, count)])
    // Only a second append can end the pause early, so the limit of the pause begins immediately.
    self.pause?.startTimeLimit()
  }

  // Freeing an inactive queue traps.
  deinit { itemsQueue.activate() }

  // MARK: For the load

  /// Appends an item to the library in three steps, without a lock: reads the count, stores the item at the index that
  /// the count gives, and writes the incremented count.
  func append(_ item: Item) {
    let index = count.load(ordering: .relaxed)
    if let pause, !pause.isOpen {
      if paused.add(1, ordering: .acquiringAndReleasing).newValue == 2 { pause.open() }
      pause.wait()
    }
    if index < entries.count { entries[index].store(item.number, ordering: .relaxed) }
    count.store(index + 1, ordering: .relaxed)
  }

  /// Records the time and the items in the library. This method stands for the completion handler in "The
  /// Replacement of the Semaphore", which must run after the library is loaded.
  func completionHandler() {
    completed.set()
    atCompletions.withLock { $0.append(timesInLibrary) }
    completion?.open()
    if completions.add() == 1 { hasCompleted.signal() }
  }

  // MARK: Running

  fileprivate func run(_ load: (Library) -> Void) {
    if completion == nil { itemsQueue.activate() }
    called.set()
    load(self)
    completion?.wait()
    itemsQueue.activate()
    hasCompleted.wait()
    // All items have been appended when these calls return.
    end.wait()
    itemsQueue.sync {}
  }

  /// The number of times that each item is in the library, by the item's identifying number.
  private var timesInLibrary: [Int: Int] {
    var times: [Int: Int] = [:]
    for index in 0..<min(count.load(ordering: .relaxed), entries.count) {
      times[entries[index].load(ordering: .relaxed), default: 0] += 1
    }
    return times
  }

  /// Returns the number of items that were found and whose number in `times` is not 1.
  private func notOnce(_ times: [Int: Int]) -> Int { found.count { times[$0] != 1 } }

  // MARK: Results

  /// The identifying numbers of the items that have been found so far.
  fileprivate var found: [Int] { [media, assets, bundle].flatMap(\.found) }
  fileprivate var failures: Int { [media, assets, bundle].count(where: \.hasFailed) }
  /// The number of all found items that were not in the library exactly once at a completion, summed over the
  /// completions. An item that is found only after a completion was missing at that completion.
  fileprivate var missing: Int { atCompletions.withLock(\.self).reduce(0) { $0 + notOnce($1) } }
  fileprivate var lost: Int { notOnce(timesInLibrary) }
  fileprivate let completions = Tally()
  fileprivate var completedAfterCall: UInt64? { completed.since(called) }
  fileprivate var completedAfterSources: UInt64? { completed.since(end.moment) }
}

/// A record of a load's sources: the time of the most recent end of a source, and the number of sources that have not
/// ended.
private final class SourcesEnd: Sendable {
  let moment = Moment()
  private let unended: Atomic<Int>
  private let all = DispatchGroup()
  private let then: @Sendable () -> Void

  init(sources: Int, _ then: @escaping @Sendable () -> Void) {
    unended = Atomic(sources)
    self.then = then
    for _ in 0..<sources { all.enter() }
  }

  /// Records that a source has ended. After the last source, calls the closure that was passed to the initializer.
  func ended() {
    moment.set()
    if unended.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { then() }
    all.leave()
  }

  /// Waits until all sources have ended.
  func wait() { all.wait() }
}

/// A source of items, which are the files below one or more directories.
final class Source: Sendable {
  fileprivate typealias Path = (root: String, atMost: Int)

  private let paths: [Path]
  private let firstNumber: Int
  private let end: SourcesEnd
  private let queue = DispatchQueue(label: "source")
  private let state = Mutex((found: [Int](), hasFailed: false))

  fileprivate init(_ paths: [Path], numbers first: Int, end: SourcesEnd) {
    self.paths = paths
    self.end = end
    firstNumber = first
  }

  /// Calls `body` with each item in turn, and returns after the last item or at the first error.
  func forEach(_ body: (Library.Item) -> Void) {
    defer { end.ended() }
    do { try walk(body) } catch { fail() }
  }

  /// Enumerates the items asynchronously, and returns immediately. Calls `each` with each item, and finally with nil.
  /// If an error occurs, calls `failure` instead of the final call of `each`.
  func enumerate(
    _ each: @escaping @Sendable (Library.Item?) -> Void, failure: @escaping @Sendable (any Error) -> Void
  ) {
    queue.async { [self] in
      do {
        try walk(each)
        end.ended()
        each(nil)
      } catch {
        fail()
        end.ended()
        failure(error)
      }
    }
  }

  /// A stream of the items. The stream finishes after the last item, or at the first error.
  var items: AsyncStream<Library.Item> {
    AsyncStream { items in
      enumerate { item in
        if let item { items.yield(item) } else { items.finish() }
      } failure: { _ in
        items.finish()
      }
    }
  }

  fileprivate var found: [Int] { state.withLock { $0.found } }
  fileprivate var hasFailed: Bool { state.withLock { $0.hasFailed } }

  private func fail() { state.withLock { $0.hasFailed = true } }

  private func walk(_ body: (Library.Item) -> Void) throws(SystemError) {
    var number = firstNumber
    for (root, atMost) in paths {
      try files(below: root, atMost: atMost) { path in
        state.withLock { $0.found.append(number) }
        body(Library.Item(number: number, path: path))
        number += 1
      }
    }
  }
}

/// Calls `body` with the paths of at most `count` files below `root`. The files of a directory are ordered by name, and
/// the files of its subdirectories follow. Symbolic links count as files, and directories do not. A subdirectory that
/// cannot be read is skipped.
///
/// - Throws: ``SystemError`` if `root` cannot be read.
private func files(below root: String, atMost count: Int, _ body: (String) -> Void) throws(SystemError) {
  guard let directory = opendir(root) else { throw SystemError(errno, "read the directory \(root)") }
  closedir(directory)
  var left = count
  var waiting = [root]
  while left > 0, let path = waiting.popLast() {
    for name in (namesInDirectory(path) ?? []).sorted() where left > 0 {
      let entry = "\(path)/\(name)"
      var status = stat()
      guard lstat(entry, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        waiting.append(entry)
      } else {
        left -= 1
        body(entry)
      }
    }
  }
}
