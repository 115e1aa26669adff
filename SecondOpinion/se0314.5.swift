// se0314.5, always: yield returns without waiting for the consumer.
// se0314.6, recipe: the function of an unfolding stream makes an element when an element is awaited.
// Tried: a task yields 1,000 times without a consumer. Then an iterator requests three elements of an unfolding stream,
// and the calls of the function are counted.
// Broken: the yields wait for a consumer that does not exist, and the elements are made in advance.
import Dispatch
import Glibc
import Synchronization

alarm(60)

let broken = CommandLine.arguments.contains("--broken")
let done = DispatchSemaphore(value: 0)

final class Yields: Sendable {
  let count = Atomic(0)
  let made = Atomic(0)
}
let yields = Yields()

Task.detached {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  for number in 0..<1000 {
    continuation.yield(number)
    yields.count.add(1, ordering: .relaxed)
    if broken {
      do { try await Task.sleep(for: .seconds(3600)) } catch {}
    }
  }
  done.signal()
  _ = stream
}
_ = done.wait(timeout: .now() + (broken ? 0.5 : 20))

let asked = DispatchSemaphore(value: 0)
Task.detached {
  if broken { yields.made.add(10, ordering: .relaxed) }
  let stream = AsyncStream { yields.made.add(1, ordering: .relaxed).newValue }
  var iterator = stream.makeAsyncIterator()
  for _ in 0..<3 { _ = await iterator.next() }
  asked.signal()
}
asked.wait()
let (yielded, made) = (yields.count.load(ordering: .relaxed), yields.made.load(ordering: .relaxed))
print(
  "se0314.5", yielded == 1000 ? "holds" : "fails", "\(yielded) of 1000 yields returned without a consumer",
  separator: "\t")
print("se0314.6", made == 3 ? "holds" : "fails", "3 elements were asked for, \(made) were made", separator: "\t")
exit(0)
