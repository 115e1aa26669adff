// se0433.1, always: only one thread at a time is inside a Mutex.
// Tried: four threads enter 50,000 times in total. Each entry adds one by a load and a store. In every hundredth entry
// the thread yields in between.
// Broken: no lock is used.
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")

final class Shared: Sendable {
  let lock = Mutex(())
  let number = Atomic(0)
  let begun = Atomic(0)

  func add(_ index: Int) {
    let before = number.load(ordering: .relaxed)
    if index % 100 == 0 { sched_yield() }
    number.store(before + 1, ordering: .relaxed)
  }

  func work() {
    begun.add(1, ordering: .relaxed)
    while begun.load(ordering: .relaxed) < 4 { sched_yield() }
    for index in 0..<12_500 {
      if broken { add(index) } else { lock.withLock { _ in add(index) } }
    }
  }
}

func enter(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let start else { return nil }
  Unmanaged<Shared>.fromOpaque(start).takeUnretainedValue().work()
  return nil
}

let shared = Shared()
var threads: [pthread_t] = []
for _ in 0..<4 {
  var thread = pthread_t()
  pthread_create(&thread, nil, enter, Unmanaged.passUnretained(shared).toOpaque())
  threads.append(thread)
}
for thread in threads { pthread_join(thread, nil) }
let number = shared.number.load(ordering: .relaxed)
print("se0433.1", number == 50_000 ? "holds" : "fails", "\(50_000 - number) of 50000 additions lost", separator: "\t")
