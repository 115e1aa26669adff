import Instruments

/// What does a child task cost, and how long does it stay in memory?
///
/// In structured concurrency, child tasks are created by `async let` or in a task group. A task group retains each
/// ended child until the child's result is consumed. A discarding task group does not retain ended children. A task
/// that is created by `Task.init` has no parent.
///
/// A trial creates children that only record that they ran: several times to time them, once to count allocations, once
/// with a last child that blocks until its scope has ended or all other threads sleep, and once to measure the retained
/// memory. In the last run, the parent pauses at the end of its scope until all children have ended and all threads
/// sleep.
///
/// Source: SE-0304 (structured concurrency) and SE-0381 (discarding task groups).
struct StructuredCost: Pattern {
  static let name = "structured-cost"

  let children = Parameter.count("children", 1...1_000_000, default: 1000, "children of one parent")
  let repeats = Parameter.count("repeats", 1...1000, default: 10, "parents that are timed, one after the other")
    .ofMeasurement
  let keptChildren = Parameter.count(
    "kept-children", 1000...1_000_000, default: 2000, "children of the parent whose memory is measured")

  let perChild = Metric.latency(
    "per-child", "time from the first child to the end of the last, divided by the children")
  let allocationsPerChild = Metric.rate(
    "allocations-per-child", .none, better: .lower, missingIf: "this build does not count allocations",
    "allocations on the heap, divided by the children")
  let bytesPerChild = Metric.rate(
    "bytes-per-child", .none, better: .lower, missingIf: "this build does not count allocations",
    "bytes of the allocations on the heap, divided by the children")
  let keptPerChild = Metric.rate(
    "kept-per-child", .none, better: .lower,
    missingIf: "the system does not report how much of its heap a process uses",
    "bytes of the heap in use when all children had ended, beyond those before, divided by the children")
  let unended = Metric.count("unended", "children that had not run when their scope had ended")

  /// The detector of the standstill after all children have ended. A test may replace the detector.
  var standstill = Standstill()

  var problem: [any Declaration] { [children, keptChildren] }

  var variants: [Variant] {
    Variant("async-let", .documented, "two children at a time by async let, both awaited", spawn) { children in
      for pair in children.pairs {
        async let first: Void = pair.first.run()
        async let second: Void = pair.second.run()
        _ = await (first, second)
      }
      await children.pause()
    }
    Variant("group", .documented, "children of a task group, which takes the results", spawn) { children in
      await withTaskGroup { group in
        for child in children.all { group.addTask { child.run() } }
        for await _ in group {}
        await children.pause()
      }
    }
    Variant("undrained-group", .broken, "children of a task group, which takes no result", spawn) { children in
      await withTaskGroup { group in
        for child in children.all { group.addTask { child.run() } }
        await children.pause()
      }
    }
    Variant("discarding-group", .modern, "children of a discarding task group", spawn) { children in
      await withDiscardingTaskGroup { group in
        for child in children.all { group.addTask { child.run() } }
        await children.pause()
      }
    }
    Variant("task", .documented, "unstructured tasks, which the caller awaits", spawn) { children in
      let tasks = children.all.map { child in Task { child.run() } }
      for task in tasks { await task.value }
      await children.pause()
    }
    Variant("call", .yardstick, "calls of an asynchronous function, without tasks", spawn) { children in
      for child in children.all { await child.runAsync() }
      await children.pause()
    }
  }

  /// Returns an upper bound for the duration of a trial: 50 microseconds for each child, plus one second.
  func longest(_ trial: Trial) -> Duration? {
    .microseconds(50) * (trial[children] * (trial[repeats] + 2) + trial[keptChildren]) + .seconds(1)
  }
}
