// se0338.1, always: an async function that is not isolated to an actor never formally runs on an actor's executor. The
// sentence holds for plain functions that are compiled without the upcoming feature NonisolatedNonsendingByDefault. It
// does not hold for nonisolated(nonsending) functions.
// se0461.2, always: a nonisolated(nonsending) function runs on the actor of its caller.
// se0461.3, always: a @concurrent function leaves the actor of its caller.
// se0304.13, always: a detached task does not inherit the actor of its creator.
// Tried: an executor that is one POSIX thread. The handle of the current thread shows where code runs.
// Broken: the functions are called with the opposite attribute, and the task is not detached.
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

final class ThreadExecutor: SerialExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }
  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let executor = Unmanaged<ThreadExecutor>.fromOpaque(context).takeUnretainedValue()
        while true {
          let job = executor.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
          if let job { job.runSynchronously(on: executor.asUnownedSerialExecutor()) } else { usleep(50) }
        }
      }, Unmanaged.passRetained(self).toOpaque())
  }
}

/// Returns the handle of the calling thread. Code that does nothing else may stay on an actor, so the function also
/// yields its core.
@inline(never) func here() -> Int {
  sched_yield()
  return Int(pthread_self())
}
func plain() async -> Int { here() }
@concurrent func concurrent() async -> Int { here() }
nonisolated(nonsending) func nonsending() async -> Int { here() }

actor Caller {
  nonisolated let executor: ThreadExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  init(_ executor: ThreadExecutor) { self.executor = executor }
  func own() -> Int { here() }

  func visit() async -> (plain: Bool, concurrent: Bool, nonsending: Bool, detached: Bool) {
    let mine = here()
    let first = broken ? await nonsending() : await plain()
    let second = broken ? await nonsending() : await concurrent()
    let third = broken ? await concurrent() : await nonsending()
    let fourth = broken ? await Task { own() }.value : await Task.detached { here() }.value
    return (first != mine, second != mine, third == mine, fourth != mine)
  }
}
let executor = ThreadExecutor()
executor.start()
let caller = Caller(executor)
var counts = (0, 0, 0, 0)
for _ in 0..<500 {
  let seen = await caller.visit()
  counts.0 += seen.plain ? 1 : 0
  counts.1 += seen.concurrent ? 1 : 0
  counts.2 += seen.nonsending ? 1 : 0
  counts.3 += seen.detached ? 1 : 0
}
func verdict(_ count: Int) -> String { count == 500 ? "holds" : "fails" }
let both = counts.0 == 500 && counts.2 > 0 ? "partly" : verdict(counts.0)
print("se0338.1\t\(both)\toff the actor \(counts.0) of 500, by nonisolated(nonsending) \(500 - counts.2)")
print("se0461.3\t\(verdict(counts.1))\toff the actor \(counts.1) of 500")
print("se0461.2\t\(verdict(counts.2))\ton the actor \(counts.2) of 500")
print("se0304.13\t\(verdict(counts.3))\toff the actor \(counts.3) of 500")
