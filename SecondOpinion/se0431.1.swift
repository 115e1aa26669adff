// se0431.1, always: tasks that are explicitly isolated to the main actor begin in the order in which they are created.
// se0306.4, may: tasks that await an actor need not run in the order in which they awaited the actor.
// Tried: the main actor of this program, 20 times with 200 tasks of one priority, and 20 times with tasks of low and
// then of high priority. The tasks are created while the main actor is busy. For se0306.4, tasks of two priorities wait
// for a busy default actor.
// Broken: the tasks of the main actor are not isolated, and yield more often the earlier they are created. The other
// tasks are submitted one by one.
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

var (inOrder, inOrderByTwo, outOfOrder) = (0, 0, 0)
for hasTwoPriorities in [false, true] {
  for _ in 0..<20 {
    let log = Log()
    // The code at the top of this program runs on the main actor, which therefore is busy until the loop has ended.
    for number in 0..<200 {
      if broken {
        Task.detached {
          for _ in 0..<(200 - number) { await Task.yield() }
          await log.append(number)
        }
      } else {
        let priority: TaskPriority? = hasTwoPriorities ? number < 100 ? .low : .high : nil
        Task(priority: priority) { @MainActor in log.append(number) }
      }
    }
    await fill(log, 200)
    guard log.numbers == Array(0..<200) else { continue }
    if hasTwoPriorities { inOrderByTwo += 1 } else { inOrder += 1 }
  }
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
print(
  "se0431.1", inOrder == 20 && inOrderByTwo == 20 ? "holds" : "fails",
  "in order \(inOrder) of 20, by two priorities \(inOrderByTwo) of 20", separator: "\t")
print("se0306.4\t\(outOfOrder > 0 ? "holds" : "open")\tout of order \(outOfOrder) of 20")
