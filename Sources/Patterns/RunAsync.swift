import Dispatch
import Synchronization

/// Runs async work from a trial's own thread and waits for it. The thread is outside every pool, so it may block.
func runAsync<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
  let done = DispatchSemaphore(value: 0)
  let box = Box<Result>()
  Task {
    let result = await body()
    box.value.withLock { $0 = result }
    done.signal()
  }
  while true {
    done.wait()
    if let result = box.value.withLock({ $0 }) { return result }
  }
}

private final class Box<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
