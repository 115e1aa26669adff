// se0304.8, always: a group whose body returns does not cancel its child tasks.
// se0304.1, always: the group returns only after all child tasks have completed.
// se0304.9, always: a scope that is left by an error first cancels its child tasks.
// se0317.1, always: child tasks of async let that were not awaited are cancelled and awaited when their scope ends.
// Tried 100 times: child tasks record at their end whether they are cancelled. The child tasks of the group that
// returns yield 200 times. The other child tasks yield until they are cancelled.
// Broken: the tasks are not child tasks, or are counted as cancelled, or are awaited in the scope.
import Glibc
import Synchronization

alarm(60)
let broken = CommandLine.arguments.contains("--broken")

final class Children: Sendable {
  let ended = Atomic(0)
  let cancelled = Atomic(0)
  func yields() async {
    for _ in 0..<200 { await Task.yield() }
    ends()
  }
  func waits() async {
    let end = ContinuousClock.now + .milliseconds(broken ? 20 : 20_000)
    while !Task.isCancelled, ContinuousClock.now < end { await Task.yield() }
    ends()
  }
  private func ends() {
    if Task.isCancelled { cancelled.add(1, ordering: .relaxed) }
    ended.add(1, ordering: .releasing)
  }
  var all: (ended: Int, cancelled: Int) { (ended.load(ordering: .acquiring), cancelled.load(ordering: .acquiring)) }
}
struct Stop: Error {}

func returns() async -> (ended: Int, cancelled: Int) {
  let children = Children()
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<4 { if broken { Task { await children.yields() } } else { group.addTask { await children.yields() } } }
    if broken { group.addTask { children.cancelled.add(1, ordering: .relaxed) } }
  }
  return children.all
}
func throwing() async -> (ended: Int, cancelled: Int) {
  let children = Children()
  try? await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<4 { group.addTask { await children.waits() } }
    if broken { for try await _ in group {} }
    throw Stop()
  }
  return children.all
}
func lets() async -> (ended: Int, cancelled: Int) {
  let children = Children()
  func scope() async {
    async let first: Void = children.waits()
    async let second: Void = children.waits()
    if broken { _ = await (first, second) }
  }
  await scope()
  return children.all
}
var (kept, awaited, stopped, let_) = (0, 0, 0, 0)
for _ in 0..<100 {
  let (first, second, third) = (await returns(), await throwing(), await lets())
  if first.cancelled == 0 { kept += 1 }
  if first.ended == 4 { awaited += 1 }
  if second == (4, 4) { stopped += 1 }
  if third == (2, 2) { let_ += 1 }
}
func verdict(_ count: Int) -> String { count == 100 ? "holds" : "fails" }
print("se0304.8\t\(verdict(kept))\tnone cancelled \(kept) of 100")
print("se0304.1\t\(verdict(awaited))\tall ended \(awaited) of 100")
print("se0304.9\t\(verdict(stopped))\tall cancelled and ended \(stopped) of 100")
print("se0317.1\t\(verdict(let_))\tall cancelled and ended \(let_) of 100")
