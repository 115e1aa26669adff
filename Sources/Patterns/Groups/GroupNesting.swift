import Dispatch
import Instruments

/// Does a group wait for blocks that its own blocks add to it?
///
/// The first example of the document "dispatch_group" submits two lengthy blocks to a global queue as members of a
/// group. At the end of its work, each lengthy block submits an inner block to the main queue as a member of the same
/// group. The inner block stores a result. The notify block runs on the main queue, reads both results and prints them.
/// The variant `nested` is this code.
///
/// A trial calls the method of its variant on the main queue, as a user interface would. `GroupNestingTrials.swift`
/// contains the code that runs the trials.
///
/// Source: dispatch_group, its first example.
struct GroupNesting: Pattern {
  static let name = "group-nesting"

  let tasks = Parameter.count("tasks", 1...1000, default: 2, "blocks in the group, each of which adds more work")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(100), default: .microseconds(100),
    "how long each block works first (calibrated spinning)")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(5),
    "how long added work is held back after all else has finished, unless the group ends earlier")
  let heldCalls = Parameter.count(
    "held-calls", 1...1000, default: 5, "calls of the method in which added work is held back")
  let repeats = Parameter.count(
    "repeats", 1...100_000, default: 40, "calls of the method with nothing held back, which are timed"
  ).ofMeasurement

  let missingAtGroupEnd = Metric.count(
    "missing-at-group-end", "results missing when the group ended, observed by a notify on an otherwise unused queue")
  let missing = Metric.count("missing", "results missing when the completion block ran")
  let notOnce = Metric.count("not-once", "calls whose completion block did not run exactly once")
  let wrongQueue = Metric.count("wrong-queue", "added blocks that ran on a queue other than the one named for them")
  let blockedCallers = Metric.count(
    "blocked-callers", "calls that had not returned while everything they submitted was held back")
  let total = Metric.latency(
    "total", "from the call of the method to the start of the completion block, with nothing held back")

  /// The main queue. Tests replace this queue, since nothing drains the main queue in a test.
  var mainQueue = DispatchQueue.main

  var problem: [any Declaration] { [tasks, work, hold] }

  var variants: [Variant] {
    Variant(
      "nested", .documented, "each block adds work to its group, on the main queue", measure(addsOnMain: true)
    ) { work in
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
    Variant(
      "nested-entered", .documented, "each block enters the group and adds a block, which leaves the group",
      measure(addsOnMain: true)
    ) { work in
      let group = DispatchGroup()
      for result in work.results {
        work.queue.async(group: group) {
          result.doSomething()
          group.enter()
          work.mainQueue.async {
            result.set()
            group.leave()
          }
        }
      }
      group.notify(queue: work.mainQueue) { work.completionBlock() }
      return group
    }
    Variant("flat", .yardstick, "each block does all of its work itself", measure()) { work in
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
    Variant("nested-ungrouped", .broken, "each block adds work on a global queue, outside the group", measureEarly()) {
      work in
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
    Variant(
      "ungrouped-on-main", .broken,
      "each block adds work on the main queue, outside the group; the completion block runs there, too",
      measureEarly(addsOnMain: true)
    ) { work in
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
    Variant(
      "wait-on-main", .broken, "as nested, but the main queue waits for the group instead of using notify", hang,
      ends: .hangs(within: .milliseconds(50))
    ) { work in
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
    Variant("task-group", .modern, "each child task has child tasks of its own in a nested task group", measureTask) {
      work in
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
