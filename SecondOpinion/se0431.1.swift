// se0431.1, always: tasks that are explicitly isolated to the same actor begin in the order in which they are created.
// It holds for one priority, and not if the actor is busy and later tasks have a higher one.
// se0306.4, may: tasks that await an actor need not run in the order in which they awaited it.
// Tried with the main actor of this program, 20 times 200 tasks. The second half waits for a busy default actor as tasks of two
// priorities, of which half are isolated to that actor.
// Broken: the tasks of the first half are not isolated, and yield as often as their number says; those of the second are sent one by one.
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

@MainActor final class Log {
  var numbers: [Int] = []
  func append(_ number: Int) { numbers.append(number) }
}
/// Lets the main actor run other tasks until the log is full.
@MainActor func fill(_ log: Log, _ count: Int) async { while log.numbers.count < count { await Task.yield() } }

var (inOrder, outOfOrder, overtaken) = (0, 0, 0)
for _ in 0..<20 {
  let log = Log()
  for number in 0..<200 {
    if broken {
      Task.detached {
        for _ in 0..<(200 - number) { await Task.yield() }
        await log.append(number)
      }
    } else {
      Task { @MainActor in log.append(number) }
    }
  }
  await fill(log, 200)
  if log.numbers == Array(0..<200) { inOrder += 1 }
}
@globalActor actor Shop { static let shared = Shop() }
@Shop final class Counter {
  var numbers: [Int] = []
  func append(_ number: Int) { numbers.append(number) }
  func block() { usleep(20_000) }
}
for _ in 0..<20 {
  let counter = Counter()
  if broken {
    for number in 0..<20 { await counter.append(number) }
  } else {
    let blocking = Task.detached { await counter.block() }
    usleep(2000)
    let tasks = (0..<20).map { number in
      Task.detached(priority: number < 10 ? .low : .high) { await counter.append(number) }
    }
    await blocking.value
    for task in tasks { await task.value }
  }
  if await counter.numbers != Array(0..<20) { outOfOrder += 1 }
}
for _ in 0..<20 where !broken {
  let counter = Counter()
  let isBusy = Atomic(false)
  let blocking = Task.detached { @Shop in
    isBusy.store(true, ordering: .releasing)
    counter.block()
  }
  while !isBusy.load(ordering: .acquiring) { await Task.yield() }
  let tasks = (0..<20).map { number in Task(priority: number < 10 ? .low : .high) { @Shop in counter.append(number) } }
  await blocking.value
  for task in tasks { await task.value }
  if await counter.numbers != Array(0..<20) { overtaken += 1 }
}
let verdict = inOrder < 20 ? "fails" : overtaken > 0 ? "partly" : "holds"
print("se0431.1\t\(verdict)\tin order \(inOrder) of 20, by two priorities out of order \(overtaken) of 20")
print("se0306.4\t\(outOfOrder > 0 ? "holds" : "open")\tout of order \(outOfOrder) of 20")
