import Platform
import Synchronization

/// Executes `body` on a thread of its own, as a worker does, and returns the result of `body`. A test runs on a thread
/// of Swift's pool, and must not block this thread.
///
/// Only a few bodies run at once. The testing library starts all tests together, and the trials of a thousand tests
/// would use up the threads of Dispatch's pool: a block that a trial waits for would then start late or not at all.
public func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  await Turns.shared.take()
  return try await withCheckedThrowingContinuation { done in
    @Sendable func end(_ result: Result<T, any Error>) {
      Turns.shared.giveBack()
      done.resume(with: result)
    }
    do { try SystemThread { end(Result(catching: body)) }.detach() } catch { end(.failure(error)) }
  }
}

/// Turns to run a body: four for each core, and at least eight. Tasks receive them in FIFO order.
private final class Turns: Sendable {
  static let shared = Turns(count: max(8, 4 * Host.cores))

  private struct State {
    var free: Int
    var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
  }

  private let state: Mutex<State>

  private init(count: Int) { state = Mutex(State(free: count)) }

  func take() async {
    await withCheckedContinuation { task in
      let isFree = state.withLock { state in
        if state.free == 0 {
          state.waiting.append(task)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { task.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}
