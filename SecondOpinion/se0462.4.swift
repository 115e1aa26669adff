// se0462.4, always: escalation handlers are called from the outer handler to the inner handler.
// se0462.3, always: raising a task to its current priority does not call a handler again.
// Tried: two handlers that record their order, nested in one task, and one around a task group with the other in its
// child task. Each innermost operation reports that it runs, and waits until another thread has raised the task twice
// to the same priority.
// Broken: the operation itself calls the handlers, the outer handler first, and each handler twice.
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

final class Notes: Sendable {
  let (outer, inner) = (1, 2)
  let order = Mutex<[Int]>([])
  let hasBegun = Atomic(false)
  let wasRaised = Atomic(false)
  func note(_ handler: Int) { order.withLock { $0.append(handler) } }
  func operation() {
    hasBegun.store(true, ordering: .releasing)
    while !wasRaised.load(ordering: .acquiring) { sched_yield() }
    if broken { for handler in [outer, outer, inner, inner] { note(handler) } }
  }
}

func inOneTask(_ notes: Notes) async {
  await withTaskPriorityEscalationHandler {
    await withTaskPriorityEscalationHandler {
      notes.operation()
    } onPriorityEscalated: { _, _ in
      if !broken { notes.note(notes.inner) }
    }
  } onPriorityEscalated: { _, _ in
    if !broken { notes.note(notes.outer) }
  }
}

func inChildTask(_ notes: Notes) async {
  await withTaskPriorityEscalationHandler {
    await withTaskGroup { group in
      group.addTask {
        await withTaskPriorityEscalationHandler {
          notes.operation()
        } onPriorityEscalated: { _, _ in
          if !broken { notes.note(notes.inner) }
        }
      }
    }
  } onPriorityEscalated: { _, _ in
    if !broken { notes.note(notes.outer) }
  }
}

var (inOrder, once) = (0, 0)
let tries = 200
for attempt in 0..<tries {
  let notes = Notes()
  let body = attempt.isMultiple(of: 2) ? inOneTask : inChildTask
  let task = Task.detached(priority: .low) { await body(notes) }
  while !notes.hasBegun.load(ordering: .acquiring) { sched_yield() }
  task.escalatePriority(to: .high)
  task.escalatePriority(to: .high)
  notes.wasRaised.store(true, ordering: .releasing)
  await task.value
  let order = notes.order.withLock { $0 }
  if order.firstIndex(of: notes.outer) ?? 9 < order.firstIndex(of: notes.inner) ?? 9 { inOrder += 1 }
  if order.count(where: { $0 == notes.outer }) == 1, order.count(where: { $0 == notes.inner }) == 1 { once += 1 }
}
print("se0462.4\t\(inOrder == tries ? "holds" : "fails")\tthe outer handler was first in \(inOrder) of \(tries)")
print("se0462.3\t\(once == tries ? "holds" : "fails")\teach handler was called once in \(once) of \(tries)")
