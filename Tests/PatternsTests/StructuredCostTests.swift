import Instruments
import LabTesting
import Platform
import Testing

@testable import Patterns

/// The tests examine the heap of the whole process, so each test runs in a process of its own.
@Suite struct StructuredCostTests {
  @Test(
    arguments: ["async-let", "group", "undrained-group", "discarding-group", "task", "call"], [1, 7, 300])
  func `every child task or call ends`(_ variant: String, _ children: Int) async {
    await #expect(processExitsWith: .success) { [variant = variant as String, children = children as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: StructuredCost(), files: Catalogue.files, ["children": .integer(children)])
      #expect(attempt.brokenPromises == [])
      #expect(attempt.total("unended") == 0)
      #expect((attempt.trial.observation.samples("kept-per-child") != nil) == (Host.heapInUse != nil))
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = StructuredCost()
    func red(_ check: String, _ run: @escaping @Sendable (Children) async -> Void) -> Red {
      let variant = check.hasPrefix("all") ? "call" : String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern) { trial in try pattern.spawn(trial, run) }
    }
    /// Omits the last child task.
    @Sendable func losesOne(_ children: Children) async {
      for child in children.all.dropLast() { child.run() }
      await children.pause()
    }
    /// Retains all child tasks that have ended.
    @Sendable func keeps(_ children: Children) async {
      await withTaskGroup { group in
        for child in children.all { group.addTask { child.run() } }
        await children.pause()
      }
    }
    /// Retains no child task.
    @Sendable func frees(_ children: Children) async {
      await withDiscardingTaskGroup { group in
        for child in children.all { group.addTask { child.run() } }
        await children.pause()
      }
    }
    /// Creates unstructured tasks in place of child tasks, and awaits none of them.
    @Sendable func awaitsNone(_ children: Children) async {
      for child in children.all { Task { child.run() } }
      await children.pause()
    }
    return [
      red("undrained-group.unended == 0", awaitsNone), red("discarding-group.unended == 0", awaitsNone),
      red("undrained-group.unended == 0", losesOne), red("discarding-group.unended == 0", losesOne),
      red("all.unended == 0", losesOne), red("undrained-group.kept-per-child > 100", frees),
      red("group.kept-per-child < 100", keeps), red("discarding-group.kept-per-child < 100", keeps),
    ]
  }
}
