import Dispatch
import Platform
import Synchronization
import Testing

@Suite struct ProcessStateTests {
  /// In a process of its own: the tests beside it never sleep all at once.
  @Test(.enabled(if: ProcessState(of: 1) != nil || ThreadCensus.taken() != nil))
  func `threads that hand something to and fro are never all asleep, and are when they stop`() async {
    await #expect(processExitsWith: .success) {
      let (there, back) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let goesOn = Flag()
      let player = try SystemThread {
        while goesOn.isSet {
          there.wait()
          back.signal()
        }
      }
      let caller = try SystemThread {
        while goesOn.isSet {
          there.signal()
          back.wait()
        }
        there.signal()
      }
      for _ in 0..<500 { #expect(ProcessState.ofOtherThreads()?.isAsleep == false) }
      goesOn.clear()
      caller.join()
      player.join()

      // A thread that sleeps is found asleep, as soon as whatever else goes on in here has ended.
      let hold = DispatchSemaphore(value: 0)
      let sleeper = try SystemThread { hold.wait() }
      while ProcessState.ofOtherThreads()?.isAsleep != true {}
      hold.signal()
      sleeper.join()
    }
  }

  /// Who sees late that it was cleared goes round once more.
  private final class Flag: Sendable {
    private let value = Atomic(true)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
  }
}
