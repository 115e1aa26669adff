import Dispatch
import Instruments

/// Is the library loaded when the completion block runs?
///
/// "The Replacement of the Semaphore" loads a media library from three sources at the same time. A group counts the
/// sources. Each source passes its items to a method that appends them asynchronously on a serial queue. The appending
/// blocks are not members of the group. A notify block calls the completion block on the main queue. The variant
/// `documented` is this loader.
///
/// A source in a trial enumerates the files below a directory of this machine. The third source fails after half of its
/// items, at a directory that does not exist. `LibraryLoadTrials.swift` contains the code that runs the trials.
///
/// Source: The Replacement of the Semaphore.
struct LibraryLoad: Pattern {
  static let name = "library-load"

  /// The QoS class of a loader's global queue. Most variants run their first source on this queue.
  enum SourceClass: String, CaseIterable, Sendable {
    case background, utility, `default`

    /// The corresponding QoS class of Dispatch.
    var qos: DispatchQoS.QoSClass {
      switch self {
      case .background: .background
      case .utility: .utility
      case .default: .default
      }
    }
  }

  let roots = Parameter.text(
    "roots", default: "/usr/lib:/usr/share:/etc",
    "directories to walk, separated by ':'; the three sources take them in turn", fault: Self.fault(of:))
  let items = Parameter.count(
    "items", 2...10_000, default: 100, "maximum number of files per source; half as many for the failing source")
  let qos = Parameter.choice(
    "qos", default: SourceClass.background, "QoS class of the loader's global queue; background in the document")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(10),
    "gated loads: how long the items queue is held back after the sources end, unless the completion runs earlier")
  let gatedLoads = Parameter.count("gated-loads", 1...1000, default: 2, "loads whose items queue is held back")
  let repeats = Parameter.count("repeats", 1...10_000, default: 5, "loads with nothing held back, which are timed")
    .ofMeasurement

  let found = Metric.count("found", "items that the sources found")
  let failures = Metric.count("failures", "sources that failed")
  let missing = Metric.count("missing", "items not in the library exactly once when the completion ran, in all loads")
  let lost = Metric.count("lost", "items not in the library exactly once when everything had ended")
  let notOnce = Metric.count("not-once", "loads whose completion did not run exactly once")
  let ungatedLoads = Metric.count("ungated-loads", "loads with nothing held back")
  let earlyCompletions = Metric.count(
    "early-completions", "ungated loads whose completion ran before every item was in the library")
  let lateItems = Metric.count("late-items", "items missing when the completions of the ungated loads ran")
  let completion = Metric.latency("completion", "from the end of the last source to the completion")
  let rate = Metric.rate("rate", .perSecond, "items per second, from the call to the completion")

  /// The main queue. Tests replace this queue, since nothing drains the main queue in a test.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [items, hold] }

  var variants: [Variant] {
    Variant(
      "documented", .broken,
      "the document's code, which is wrong: appends by async to a serial queue, outside the group", measureEarly()
    ) { library in
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
    Variant("append-in-group", .documented, "as documented, with each append in the group: async(group:)", measure) {
      library in
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
    Variant(
      "notify-on-items-queue", .documented, "as documented, with the group notifying the serial items queue", measure
    ) { library in
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
    Variant("semaphore", .documented, "what the group replaced: a thread waits on a semaphore once per source", measure)
    { library in
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
    Variant(
      "unsynchronized", .broken, "the sources append concurrently, without a queue or lock", measureUnsynchronized()
    ) { library in
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
    Variant(
      "task-group", .modern, "each source is a child task that returns its items; the parent appends them", measure
    ) { library in
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
