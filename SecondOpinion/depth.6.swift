// depth.6, always: Apple's frameworks use the global queues, too: a program's tasks are not the only ones there.
// Swift's own runtime stands in for the frameworks.
// Tried in two ways: a value that is set by a key on the global queue of a class is
// found by a task of that class, which only what targets that queue can; and as many tasks as there are cores keep their
// threads while a block of the same global queue is submitted: does it begin before they end? (It may, where the pool
// adds a thread meanwhile: the second way is told and decides nothing.) Broken: blocks on private serial queues in place
// of the tasks.
import Dispatch
import Glibc

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let key = DispatchSpecificKey<Int>()

/// Runs a body as the code of others would.
func run(_ priority: TaskPriority, _ body: @escaping @Sendable () -> Void) {
  if broken { DispatchQueue(label: "private").async(execute: body) } else { Task(priority: priority) { body() } }
}

final class Found: @unchecked Sendable { var value: Int? }

var found: [Int?] = []
for (priority, global, mark) in [
  (TaskPriority.medium, DispatchQueue.global(), 1), (.utility, .global(qos: .utility), 2),
] {
  global.setSpecific(key: key, value: mark)
  let (seen, done) = (Found(), DispatchSemaphore(value: 0))
  run(priority) {
    seen.value = DispatchQueue.getSpecific(key: key)
    done.signal()
  }
  done.wait()
  found.append(seen.value)
}

let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
let (begun, gate, block) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
for _ in 0..<cores {
  run(.medium) {
    begun.signal()
    gate.wait()
  }
}
for _ in 0..<cores { begun.wait() }
DispatchQueue.global().async { block.signal() }
let isHeld = block.wait(timeout: .now() + .milliseconds(100)) == .timedOut
for _ in 0..<cores { gate.signal() }

print(
  "depth.6", found == [1, 2] ? "holds" : "fails",
  "tasks of two classes found \(found.compactMap(\.self).count) of 2 values set on the global queue of their class; a block "
    + "behind \(cores) tasks that wait \(isHeld ? "had not begun" : "began") within 100 ms", separator: "\t")
