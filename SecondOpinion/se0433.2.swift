// se0433.1, always: one thread at a time is inside a Mutex. se0433.2, may: a Mutex need not be fair. Four threads enter
// 50,000 times in all, add one by a load and a store with a yield in between now and then, and note who entered last.
// Broken: no lock, and entries by turns, for which each thread waits.
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")

final class Shared: Sendable {
  let lock = Mutex(())
  let number = Atomic(0)
  let last = Atomic(-1)
  let run = Atomic(0)
  let longest = Atomic(0)
  let begun = Atomic(0)

  func add(_ index: Int) {
    let before = number.load(ordering: .relaxed)
    if index % 100 == 0 { sched_yield() }
    number.store(before + 1, ordering: .relaxed)
  }

  func note(_ member: Int) {
    run.store(last.load(ordering: .relaxed) == member ? run.load(ordering: .relaxed) + 1 : 1, ordering: .relaxed)
    last.store(member, ordering: .relaxed)
    longest.max(run.load(ordering: .relaxed), ordering: .relaxed)
  }

  func work(_ member: Int) {
    begun.add(1, ordering: .relaxed)
    while begun.load(ordering: .relaxed) < 4 { sched_yield() }
    for index in 0..<12_500 {
      if broken {
        add(index)
      } else {
        lock.withLock { _ in
          add(index)
          note(member)
        }
      }
    }
    guard broken else { return }
    for _ in 0..<100 {
      while (last.load(ordering: .acquiring) + 1) % 4 != member { sched_yield() }
      note(member)
    }
  }
}

final class Start {
  let shared: Shared
  let member: Int
  init(_ shared: Shared, _ member: Int) { (self.shared, self.member) = (shared, member) }
}

func enter(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start else { return nil }
  let own = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
  own.shared.work(own.member)
  return nil
}

let shared = Shared()
var threads: [pthread_t] = []
for member in 0..<4 {
  var thread = pthread_t()
  pthread_create(&thread, nil, enter, Unmanaged.passRetained(Start(shared, member)).toOpaque())
  threads.append(thread)
}
for thread in threads { pthread_join(thread, nil) }
let (number, longest) = (shared.number.load(ordering: .relaxed), shared.longest.load(ordering: .relaxed))
print("se0433.1", number == 50_000 ? "holds" : "fails", "\(50_000 - number) of 50000 additions lost", separator: "\t")
print("se0433.2", longest > 1 ? "seen" : "not-seen", "a thread entered \(longest) times in a row", separator: "\t")
