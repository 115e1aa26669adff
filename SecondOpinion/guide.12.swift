// guide.12, always: the queue keeps a block until it has run, then releases it.
// guide.11, always: a block keeps the values that its variables had when it was made.
// Tried in Swift, where a released object tells so: 500 blocks that alone hold an object each wait for a queue that is held. None may be gone
// before its block has run, all must be gone once the queue is idle. Each captures a number that is changed after it was submitted.
// Broken: the blocks stay in an array, and capture the variable and not its value.
import Dispatch
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let tasks = 500

final class Count: Sendable {
  let gone = Atomic(0)
  let ran = Atomic(0)
  let goneTooEarly = Atomic(0)
  let right = Atomic(0)
}
let count = Count()

final class Held: Sendable {
  let ran = Atomic(false)
  deinit {
    count.gone.add(1, ordering: .relaxed)
    if !ran.load(ordering: .relaxed) { count.goneTooEarly.add(1, ordering: .relaxed) }
  }
}

final class Box: Sendable { let value = Atomic(0) }

let queue = DispatchQueue(label: "keeps")
let gate = DispatchSemaphore(value: 0)
queue.async { gate.wait() }
var kept: [@Sendable () -> Void] = []
let variable = Box()
for index in 0..<tasks {
  variable.value.store(index, ordering: .relaxed)
  let value = variable.value.load(ordering: .relaxed)
  let held = Held()
  let block: @Sendable () -> Void = {
    held.ran.store(true, ordering: .relaxed)
    let found = broken ? variable.value.load(ordering: .relaxed) : value
    if found == index { count.right.add(1, ordering: .relaxed) }
    count.ran.add(1, ordering: .relaxed)
  }
  if broken { kept.append(block) }
  queue.async(execute: block)
}
variable.value.store(-1, ordering: .relaxed)
let goneBefore = count.gone.load(ordering: .relaxed)
gate.signal()
queue.sync {}
let ran = count.ran.load(ordering: .relaxed)
let gone = count.gone.load(ordering: .relaxed)
let early = count.goneTooEarly.load(ordering: .relaxed) + goneBefore
let right = count.right.load(ordering: .relaxed)

let released = early == 0 && ran == tasks && gone == tasks
print("guide.12\t\(released ? "holds" : "fails")\treleased before its block ran \(early), after it \(gone) of \(ran)")
print(
  "guide.11\t\(right == tasks ? "holds" : "fails")\tfound the value of the time when it was made \(right) of \(ran)")
