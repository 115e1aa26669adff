// se0304.5, always: a cancellation handler runs immediately when its task is cancelled.
// stdlib.1, always: the handler runs at most once.
// se0304.6, always: in a task that has already been cancelled, the handler runs before the operation.
// se0304.7, always: the operation runs all the same.
// Tried: 2000 tasks, each with an atomic number to which the handler adds 1 and the operation adds 16. Half of the
// tasks are cancelled after their operation has reported that it waits, half before they begin. In the first half, the
// thread that cancels reads the number at once.
// Broken: no handler is registered, or the operation is omitted and its handler is called twice.
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")
final class Number: Sendable { let value = Atomic(0) }

/// Waits until a bit of a number is set.
func wait(_ number: Number, for bit: Int) { while number.value.load(ordering: .acquiring) & bit == 0 { sched_yield() } }

var (immediate, once, before, operated) = (0, 0, 0, 0)
let tries = 1000
for _ in 0..<tries {
  let number = Number()
  let go = Number()
  let task = Task.detached {
    @Sendable func operation() async {
      number.value.add(16, ordering: .acquiringAndReleasing)
      while go.value.load(ordering: .acquiring) == 0 { await Task.yield() }
    }
    if broken { return await operation() }
    await withTaskCancellationHandler {
      await operation()
    } onCancel: {
      number.value.add(1, ordering: .acquiringAndReleasing)
    }
  }
  wait(number, for: 16)
  task.cancel()
  if number.value.load(ordering: .acquiring) & 1 == 1 { immediate += 1 }
  go.value.store(1, ordering: .releasing)
  await task.value
  if number.value.load(ordering: .acquiring) == 17 { once += 1 }
}
for _ in 0..<tries {
  let number = Number()
  let go = Number()
  let seen = Number()
  let task = Task.detached {
    while go.value.load(ordering: .acquiring) == 0 { await Task.yield() }
    @Sendable func handler() { number.value.add(1, ordering: .acquiringAndReleasing) }
    if broken {
      handler()
      return handler()
    }
    await withTaskCancellationHandler {
      seen.value.store(number.value.load(ordering: .acquiring), ordering: .releasing)
      number.value.add(16, ordering: .acquiringAndReleasing)
    } onCancel: {
      handler()
    }
  }
  task.cancel()
  go.value.store(1, ordering: .releasing)
  await task.value
  if seen.value.load(ordering: .acquiring) == 1 { before += 1 }
  if number.value.load(ordering: .acquiring) & 16 == 16 { operated += 1 }
  if number.value.load(ordering: .acquiring) & 15 == 1 { once += 1 }
}
func verdict(_ count: Int, of all: Int) -> String { count == all ? "holds" : "fails" }
print("se0304.5\t\(verdict(immediate, of: tries))\thad run when cancel returned \(immediate) of \(tries)")
print("stdlib.1\t\(verdict(once, of: 2 * tries))\tran once \(once) of \(2 * tries)")
print("se0304.6\t\(verdict(before, of: tries))\thad run when the operation began \(before) of \(tries)")
print("se0304.7\t\(verdict(operated, of: tries))\toperations of cancelled tasks \(operated) of \(tries)")
