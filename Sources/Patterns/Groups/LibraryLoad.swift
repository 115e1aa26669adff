import Dispatch
import Laboratory

/// Is the library loaded when the completion says so?
///
/// The document loads a library from three sources at once. Whatever they find is appended on a serial queue, and a group
/// counts the sources:
///
/// ```objc
/// - (void)addURL:(NSURL *)url {
///   dispatch_async(self.assetItemsQueue, ^{
///     [weakSelf.assetItems addObject:[[AssetItem alloc] initWithURL:url]];
///   });
/// }
/// // [self buildMediaLibrary]; [self buildAssetLibrary]; [self buildApplicationBundleLibrary];
/// dispatch_group_notify(self.libraryGroup, self.libraryQueue, ^{
///   dispatch_async(dispatch_get_main_queue(), ^{ completionHandler(); });
/// });
/// ```
///
/// The sources here are directories of this machine, walked for real; the third one fails half-way, at a directory that is
/// not there. What a load is put through stands in `Library.swift`.
///
/// Source: The Replacement of the Semaphore.
struct LibraryLoad: Pattern {
  static let name = "library-load"

  /// The class of the queue where sources run.
  enum Service: String, CaseIterable, Sendable {
    case background, utility, `default`

    /// As Dispatch calls it.
    var qos: DispatchQoS.QoSClass {
      switch self {
      case .background: .background
      case .utility: .utility
      case .default: .default
      }
    }
  }

  let roots = Setting.text(
    "roots", default: "/usr/lib:/usr/share:/etc",
    "directories to walk, ':' between them; three sources take them in turn", fault: Self.fault(of:))
  let items = Setting.count(
    "items", 2...10_000, default: 100, "files that a source takes at most; the one that fails takes half as many")
  let service = Setting.choice(
    "service", default: Service.background, "the class of the global queue of the sources; the document's is background"
  )
  let hold = Setting.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(10),
    "how long the items queue is held back when all sources have ended; a completion that comes before ends it")
  let heldLoads = Setting.count("held-loads", 1...1000, default: 2, "loads whose items queue is held back")
  let repeats = Setting.count("repeats", 1...10_000, default: 5, "loads with nothing held back, which are timed")

  let found = Metric.count("found", "items that the sources found")
  let failures = Metric.count("failures", "sources that failed")
  let missing = Metric.count("missing", "items that were not in the library just once when the completion ran")
  let lost = Metric.count("lost", "items that were not in the library just once when everything had ended")
  let completionsOff = Metric.count("completions-off", "loads whose completion did not run exactly once")
  let unheld = Metric.count("unheld", "loads with nothing held back")
  let incomplete = Metric.count(
    "incomplete", "of these, those whose completion ran before every item was in the library just once")
  let late = Metric.count("late", "items of these loads that were not in the library just once when the completion ran")
  let completion = Metric.latency("completion", "from the end of the last source to the completion")
  let rate = Metric.rate("rate", .perSecond, "items a second, from the call to the completion")

  /// The main queue; a test, whose main queue nobody serves, gives another.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [items] }

  var variants: [Variant] {
    Variant("documented", .broken, "items are appended by async on a serial queue, outside the group", without: [hold])
    {
      trial in
      try measureEarly(trial) { library in
        library.queue.async(group: library.group) {
          library.media.forEach { item in
            library.itemsQueue.async { library.append(item) }
          }
        }
        for source in [library.assets, library.bundle] {
          library.group.enter()
          source.enumerate { item in
            guard let item else { return library.group.leave() }
            library.itemsQueue.async { library.append(item) }
          } failure: { error in
            library.group.leave()
          }
        }
        library.group.notify(queue: library.queue) {
          library.mainQueue.async { library.completionHandler() }
        }
      }
    }
    Variant("append-in-group", .documented, "the same, but each append is in the group, too") { trial in
      try measure(trial) { library in
        library.queue.async(group: library.group) {
          library.media.forEach { item in
            library.itemsQueue.async(group: library.group) { library.append(item) }
          }
        }
        for source in [library.assets, library.bundle] {
          library.group.enter()
          source.enumerate { item in
            guard let item else { return library.group.leave() }
            library.itemsQueue.async(group: library.group) { library.append(item) }
          } failure: { error in
            library.group.leave()
          }
        }
        library.group.notify(queue: library.queue) {
          library.mainQueue.async { library.completionHandler() }
        }
      }
    }
    Variant("notify-on-items-queue", .documented, "as documented, but the items queue is notified, behind all appends")
    { trial in
      try measure(trial) { library in
        library.queue.async(group: library.group) {
          library.media.forEach { item in
            library.itemsQueue.async { library.append(item) }
          }
        }
        for source in [library.assets, library.bundle] {
          library.group.enter()
          source.enumerate { item in
            guard let item else { return library.group.leave() }
            library.itemsQueue.async { library.append(item) }
          } failure: { error in
            library.group.leave()
          }
        }
        library.group.notify(queue: library.itemsQueue) {
          library.mainQueue.async { library.completionHandler() }
        }
      }
    }
    Variant("semaphore", .documented, "what the group replaced: a thread waits once for each source") { trial in
      try measure(trial) { library in
        let ended = DispatchSemaphore(value: 0)
        library.queue.async {
          library.media.forEach { item in
            library.itemsQueue.async { library.append(item) }
          }
          ended.signal()
        }
        for source in [library.assets, library.bundle] {
          source.enumerate { item in
            guard let item else { return _ = ended.signal() }
            library.itemsQueue.async { library.append(item) }
          } failure: { error in
            ended.signal()
          }
        }
        library.queue.async {
          for _ in 0..<3 { ended.wait() }
          library.itemsQueue.async {
            library.mainQueue.async { library.completionHandler() }
          }
        }
      }
    }
    Variant("unserialised", .broken, "the sources append from where they run, without any queue", without: [hold]) {
      trial in
      try measureUnserialised(trial) { library in
        library.queue.async(group: library.group) {
          library.media.forEach { item in
            library.append(item)
          }
        }
        for source in [library.assets, library.bundle] {
          library.group.enter()
          source.enumerate { item in
            guard let item else { return library.group.leave() }
            library.append(item)
          } failure: { error in
            library.group.leave()
          }
        }
        library.group.notify(queue: library.queue) {
          library.mainQueue.async { library.completionHandler() }
        }
      }
    }
    Variant("task-group", .modern, "each source is a child task that returns what it found; the parent appends") {
      trial in
      try measure(trial) { library in
        Task {
          await withTaskGroup { group in
            for source in [library.media, library.assets, library.bundle] {
              group.addTask {
                await source.items.reduce(into: []) { $0.append($1) }
              }
            }
            for await items in group {
              for item in items { library.append(item) }
            }
          }
          library.mainQueue.async { library.completionHandler() }
        }
      }
    }
  }
}
