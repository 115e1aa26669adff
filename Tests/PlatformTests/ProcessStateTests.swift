import Dispatch
import Platform
import Synchronization
import Testing

@Suite struct ProcessStateTests {
  /// The test runs in a process of its own, since the threads of the other tests never all sleep.
  @Test(.enabled(if: ProcessState.ofOtherThreads() != nil, "the system does not report what threads do"))
  func `threads that signal each other in turn are never all reported asleep until they stop`() async {
    await #expect(processExitsWith: .success) {
      let (there, back) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let (isOver, hasLeft) = (Flag(), Flag())
      let player = try SystemThread {
        while true {
          there.wait()
          if hasLeft.isSet { return }
          back.signal()
        }
      }
      let caller = try SystemThread {
        while !isOver.isSet {
          there.signal()
          back.wait()
        }
        hasLeft.set()
        there.signal()
      }
      for _ in 0..<500 { #expect(ProcessState.ofOtherThreads()?.isAsleep == false) }
      isOver.set()
      caller.join()
      player.join()

      // A thread that sleeps is found asleep once all other work in this process has ended.
      let hold = DispatchSemaphore(value: 0)
      let sleeper = try SystemThread { hold.wait() }
      while ProcessState.ofOtherThreads()?.isAsleep != true {}
      hold.signal()
      sleeper.join()
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }
}
