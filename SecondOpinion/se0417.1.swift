// se0417.1, always: in a task that prefers an executor, nonisolated functions run on that executor. In an immediate
// task, the functions begin elsewhere.
// se0417.2, always: child tasks of a group and of async let inherit the preference.
// se0417.3, always: tasks that Task and Task.detached create do not inherit the preference.
// se0417.4, always: an actor with its own executor runs there.
// se0417.5, always: a default actor runs on the executor that its caller prefers. It does not if the actor is busy
// elsewhere.
// se0417.6, always: a child task that is added with the preference nil inherits the preference. It does not in an
// optimized build.
// se0417.7, always: without a preference, nonisolated functions do not run on an executor of the program. They do after
// waiting for a default actor that is busy on such an executor.
// Tried: each executor is one POSIX thread. The handle of the current thread shows where code runs.
// Broken: for the first four sentences, the task has no preference, the tasks that it creates have a preference, and
// its actor has no executor. For the last three, the actor is idle, and the child task is added without nil.
import Dispatch
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

/// A thread that runs jobs in the order in which they are enqueued.
final class Loop: TaskExecutor, SerialExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let hasJob = DispatchSemaphore(value: 0)
  private let number = Mutex<pthread_t?>(nil)
  private let isActor: Bool

  init(isActor: Bool) {
    self.isActor = isActor
    let started = DispatchSemaphore(value: 0)
    var thread = pthread_t()
    let body: @Sendable () -> Void = { [self] in
      number.withLock { $0 = pthread_self() }
      started.signal()
      while true {
        hasJob.wait()
        let job = jobs.withLock { $0.removeFirst() }
        if isActor {
          job.runSynchronously(on: asUnownedSerialExecutor())
        } else {
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    started.wait()
  }
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    hasJob.signal()
  }
  var isHere: Bool { number.withLock { $0 == pthread_self() } }
}
final class Box {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

let preferred = Loop(isActor: false)
let own = Loop(isActor: true)

/// Returns whether the calling code runs on the preferred executor. Code that does nothing else could be moved, so the
/// function also yields its core.
@inline(never) func isPreferred() -> Bool {
  sched_yield()
  return preferred.isHere
}
func function() async -> Bool { isPreferred() }

actor OnOwn {
  nonisolated var unownedExecutor: UnownedSerialExecutor { own.asUnownedSerialExecutor() }
  func isAtHome() -> Bool { own.isHere }
}
actor Plain {
  func look() -> Bool { isPreferred() }
  func isAtHome() -> Bool { own.isHere }
  func keep(_ kept: DispatchSemaphore, until go: DispatchSemaphore) {
    kept.signal()
    if !broken { go.wait() }
  }
}

/// Runs asynchronous code, and blocks the calling thread until the result is available.
func result<T: Sendable>(_ body: @escaping @Sendable () async -> T) -> T {
  let box = Mutex<T?>(nil)
  let end = DispatchSemaphore(value: 0)
  let task = Task { await body() }
  Task {
    let value = await task.value
    box.withLock { $0 = value }
    end.signal()
  }
  end.wait()
  guard let value = box.withLock({ $0 }) else { fatalError("no result") }
  return value
}

struct Counts {
  var (inTask, inImmediate, inChildren, notInOthers, atHome) = (0, 0, 0, 0, 0)
  var (idle, busy, nilChild, without, afterWaiting) = (0, 0, 0, 0, 0)
}
let rounds = 200
/// Runs one round. The function is nonisolated, since code at the top level of a program belongs to the main actor, and
/// so would the tasks that it creates.
nonisolated func tryAll(_ counts: inout Counts) {
  let seen = result {
    await Task(executorPreference: broken ? nil : preferred) {
      let first = await function()
      async let second = function()
      let child = await withTaskGroup(of: Bool.self) { group in
        group.addTask { await function() }
        return await group.next() ?? false
      }
      let other = broken ? preferred : nil
      let loose = await (broken ? Task(executorPreference: other) { await function() } : Task { await function() })
        .value
      let detached =
        await
        (broken ? Task.detached(executorPreference: other) { await function() } : Task.detached { await function() })
        .value
      let home = broken ? await Plain().isAtHome() : await OnOwn().isAtHome()
      return (first, await second && child, !loose && !detached, home)
    }.value
  }
  let (idle, nilChild) = result {
    await Task(executorPreference: preferred) {
      let idle = await Plain().look()
      let nilChild = await withTaskGroup(of: Bool.self) { group in
        if broken {
          group.addTask { await function() }
        } else {
          group.addTask(executorPreference: nil) { await function() }
        }
        return await group.next() ?? false
      }
      return (idle, nilChild)
    }.value
  }
  counts.inTask += seen.0 ? 1 : 0
  let immediate = Task.immediate(executorPreference: preferred) { await function() }
  counts.inImmediate += result { await immediate.value } ? 1 : 0
  counts.inChildren += seen.1 ? 1 : 0
  counts.notInOthers += seen.2 ? 1 : 0
  counts.atHome += seen.3 ? 1 : 0
  counts.idle += idle ? 1 : 0
  counts.nilChild += nilChild ? 1 : 0
  counts.without += result { await function() } ? 0 : 1

  let (kept, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  var plain = Plain()
  Task.detached { [plain] in await plain.keep(kept, until: go) }
  kept.wait()
  if broken { plain = Plain() }
  let asking = Task.immediate(executorPreference: preferred) { [plain] in await plain.look() }
  go.signal()
  counts.busy += result { await asking.value } ? 1 : 0

  plain = Plain()
  Task.detached(executorPreference: preferred) { [plain] in await plain.keep(kept, until: go) }
  kept.wait()
  if broken { plain = Plain() }
  let waiting = Task.immediate { [plain] in
    _ = await plain.look()
    return await function()
  }
  go.signal()
  counts.afterWaiting += result { await waiting.value } ? 0 : 1
}
var counts = Counts()
for _ in 0..<rounds { tryAll(&counts) }
func tell(_ id: String, _ parts: (String, Int)...) {
  let holds = parts.allSatisfy { $0.1 == rounds }
  print(
    id, holds ? "holds" : "fails", parts.map { "\($0.0) \($0.1) of \(rounds)" }.joined(separator: ", "), separator: "\t"
  )
}
let inPart = counts.inTask == rounds && counts.inImmediate == 0
print(
  "se0417.1", inPart ? "partly" : counts.inTask == rounds ? "holds" : "fails",
  "on the preferred executor \(counts.inTask) of \(rounds), of immediate tasks \(counts.inImmediate)", separator: "\t")
tell("se0417.2", ("on the preferred executor", counts.inChildren))
tell("se0417.3", ("elsewhere", counts.notInOthers))
tell("se0417.4", ("on its own executor", counts.atHome))
tell("se0417.5", ("idle, on the preferred executor", counts.idle), ("busy", counts.busy))
tell("se0417.6", ("on the preferred executor", counts.nilChild))
tell("se0417.7", ("not on the preferred executor", counts.without), ("after waiting", counts.afterWaiting))
