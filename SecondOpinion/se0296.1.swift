// se0296.1, recipe: a task should not block its thread to wait for work that may not run.
// se0296.2, always: a lock blocks only until a running thread releases the lock.
// se0296.3, always: a task that awaits gives up its thread.
// Tried: as many tasks as there are cores first meet, so that they occupy all threads of their priority. Then each task
// waits for another task, with a semaphore or with await. No task may end within a second with the semaphore, and all
// tasks must end with await. Then 500 tasks lock a Mutex.
// Broken: the waits are swapped, and a wait for another task replaces the Mutex.
import Dispatch
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

final class Meeting: Sendable {
  let come = Atomic(0)
  let ended = Atomic(0)
  let parties: Int
  init(_ parties: Int) { self.parties = parties }
  func meet() {
    come.add(1, ordering: .relaxed)
    while come.load(ordering: .relaxed) < parties { sched_yield() }
  }
}

/// Runs `count` tasks, and returns how many ended within `seconds`. Returns early if all tasks have ended.
func ended(_ count: Int, _ priority: TaskPriority, within seconds: Double, _ body: @escaping @Sendable () async -> Void)
  -> Int
{
  let meeting = Meeting(min(count, cores))
  for _ in 0..<count {
    Task.detached(priority: priority) {
      meeting.meet()
      await body()
      meeting.ended.add(1, ordering: .relaxed)
    }
  }
  let end = DispatchTime.now() + seconds
  while meeting.ended.load(ordering: .relaxed) < count, DispatchTime.now() < end { usleep(1000) }
  return meeting.ended.load(ordering: .relaxed)
}

func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

@Sendable func waits(_ priority: TaskPriority) {
  let done = DispatchSemaphore(value: 0)
  Task.detached(priority: priority) { done.signal() }
  block(done)
}

@Sendable func awaits(_ priority: TaskPriority) async { await Task.detached(priority: priority) {}.value }

final class Guarded: Sendable { let number = Mutex(0) }
let guarded = Guarded()

// Each test has its own priority, since blocked threads stay blocked.
let blocked = ended(cores, .utility, within: 1) { if broken { await awaits(.utility) } else { waits(.utility) } }
let awaited = ended(cores, .medium, within: broken ? 1 : 20) {
  if broken { waits(.medium) } else { await awaits(.medium) }
}
let locked = ended(500, .background, within: broken ? 1 : 20) {
  if broken { waits(.background) } else { guarded.number.withLock { $0 += 1 } }
}
print(
  "se0296.1", blocked == 0 ? "holds" : "fails", "\(blocked) of \(cores) tasks ended that wait at a semaphore",
  separator: "\t")
print("se0296.2", locked == 500 ? "holds" : "fails", "\(locked) of 500 tasks ended that take a Mutex", separator: "\t")
print(
  "se0296.3", awaited == cores ? "holds" : "fails", "\(awaited) of \(cores) tasks ended that await", separator: "\t")
exit(0)
