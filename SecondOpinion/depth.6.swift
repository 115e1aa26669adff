// depth.6, always: Apple's frameworks also use the global queues, so a program's tasks are not the only tasks there.
// Swift's own runtime stands in for the frameworks.
// Tried in two ways. First, a value is set by a key on the global queue of a class. A task of that class finds the
// value only if the task runs on a queue that targets the global queue. Second, as many tasks as there are cores keep
// their threads while a block is submitted to the same global queue. The program reports whether the block begins
// before the tasks end. This report does not affect the verdict, since the pool may add a thread in the meantime.
// Broken: blocks on private serial queues replace the tasks.
import Dispatch
import Glibc

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let key = DispatchSpecificKey<Int>()

/// Runs a body in a task, which stands in for a framework's code.
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
    + "after \(cores) waiting tasks \(isHeld ? "had not begun" : "began") within 100 ms", separator: "\t")
