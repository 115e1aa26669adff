import Dispatch
import Laboratory

/// Does a group wait for what its own blocks add to it?
///
/// The document's blocks each do something that takes a while, then add a block to the same group, on the main queue:
///
/// ```objc
/// dispatch_group_async(group, queue, ^{
///   [self doSomeFoo];
///   dispatch_group_async(group, dispatch_get_main_queue(), ^{ self.foo = 42; });
/// });
/// // the same for bar
/// dispatch_group_notify(group, dispatch_get_main_queue(), ^{
///   NSLog(@"foo: %d", self.foo);
///   NSLog(@"bar: %d", self.bar);
/// });
/// ```
///
/// Each method here is called on the main queue, as from an interface. What tries it stands in `NestedWork.swift`.
///
/// Source: dispatch_group, its first example.
struct GroupNesting: Pattern {
  static let name = "group-nesting"

  let tasks = Setting.count("tasks", 1...1000, default: 2, "blocks in the group, each of which has work to add")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(100), default: .microseconds(100), "how long each of them spins first")
  let hold = Setting.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(5),
    "how long added work is held back when all else has ended; the end that is told too early ends it")
  let heldCalls = Setting.count("held-calls", 1...1000, default: 5, "calls whose work is held back")
  let repeats = Setting.count("repeats", 1...100_000, default: 40, "calls with nothing held back, which are timed")

  let early = Metric.count("early", "results missing when the group, asked on a queue of its own, had ended")
  let missing = Metric.count("missing", "results that were not there when the completion ran")
  let completionsOff = Metric.count("completions-off", "calls whose completion block did not run exactly once")
  let elsewhere = Metric.count("elsewhere", "added blocks that ran on another queue than the one named")
  let kept = Metric.count("kept", "calls that had not returned while everything they had submitted was held back")
  let total = Metric.latency("total", "from the call of the method to the start of the completion, nothing held back")

  /// The main queue; a test, whose main queue nobody serves, gives another.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant("nested", .documented, "each block adds one to the same group, on the main queue", own: [elsewhere]) {
      trial in
      try measure(trial) { work in
        let group = DispatchGroup()
        for result in work.results {
          work.queue.async(group: group) {
            result.doSomething()
            work.mainQueue.async(group: group) { result.set() }
          }
        }
        group.notify(queue: work.mainQueue) { work.completionBlock() }
        return group
      }
      .recordElsewhere(trial, elsewhere)
    }
    Variant("flat", .yardstick, "each block does all of its work; nothing is added") { trial in
      try measure(trial) { work in
        let group = DispatchGroup()
        for result in work.results {
          work.queue.async(group: group) {
            result.doSomething()
            result.set()
          }
        }
        group.notify(queue: work.mainQueue) { work.completionBlock() }
        return group
      }
    }
    Variant(
      "nested-ungrouped", .broken, "the added block goes to a global queue, and not to the group", without: [hold]
    ) { trial in
      try measureEarly(trial) { work in
        let group = DispatchGroup()
        for result in work.results {
          work.queue.async(group: group) {
            result.doSomething()
            work.otherQueue.async { result.set() }
          }
        }
        group.notify(queue: work.mainQueue) { work.completionBlock() }
        return group
      }
    }
    Variant(
      "ungrouped-on-main", .broken, "the added block goes to the main queue, where the completion is to run, too",
      own: [elsewhere], without: [hold]
    ) { trial in
      try measureEarly(trial) { work in
        let group = DispatchGroup()
        for result in work.results {
          work.queue.async(group: group) {
            result.doSomething()
            work.mainQueue.async { result.set() }
          }
        }
        group.notify(queue: work.mainQueue) { work.completionBlock() }
        return group
      }
      .recordElsewhere(trial, elsewhere)
    }
    Variant(
      "wait-on-main", .broken, "as nested, but called on the main queue it waits there for its group",
      without: [work, hold, heldCalls, repeats, early, missing, completionsOff, kept, total],
      ends: .hangs(within: .milliseconds(50))
    ) { trial in
      try hang(trial) { work in
        let group = DispatchGroup()
        for result in work.results {
          work.queue.async(group: group) {
            result.doSomething()
            work.mainQueue.async(group: group) { result.set() }
          }
        }
        group.wait()
        work.completionBlock()
      }
    }
    Variant("task-group", .modern, "each child task has children of its own, in a task group of its own") { trial in
      try measureTask(trial) { work in
        Task {
          await withTaskGroup { group in
            for result in work.results {
              group.addTask {
                await result.doSomething()
                await withTaskGroup { added in
                  added.addTask { await result.set() }
                }
              }
            }
          }
          work.groupHasEnded()
          work.mainQueue.async { work.completionBlock() }
        }
      }
    }
  }
}
