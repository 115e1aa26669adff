import LabTesting
import Dispatch
import Synchronization
import Testing

@testable import Instruments

@Suite struct TimedGateTests {
  /// A limit that exceeds the duration of every test.
  static let never = Duration.seconds(86_400)

  final class Seen: Sendable {
    let startTimeLimit = Atomic(false)
    let overtaken = Mutex<[Bool]>([])
  }

  /// Returns whether a block overtakes an earlier block on the queue under test. Block 0 passes the gate, and block 1
  /// opens the gate.
  func overtakes(on queue: DispatchQueue, limit: Duration) async throws -> Bool {
    try await onOwnThread {
      let (gate, seen, all) = (TimedGate(limit: limit), Seen(), DispatchGroup())
      queue.async(group: all) {
        let overtaken = gate.wait()
        seen.overtaken.withLock { $0 = [overtaken] }
      }
      queue.async(group: all) { gate.open() }
      gate.startTimeLimit()
      all.wait()
      return seen.overtaken.withLock { $0 } == [true]
    }
  }

  @Test func `a gate detects overtaking on a concurrent queue, and ends its wait on a serial queue`() async throws {
    #expect(try await overtakes(on: DispatchQueue(label: "concurrent", attributes: .concurrent), limit: Self.never))
    #expect(try await !overtakes(on: DispatchQueue(label: "serial"), limit: .milliseconds(1)))
  }

  @Test func `the limit of a gate does not start before the rest of the work has finished`() async throws {
    let (gate, seen) = (TimedGate(limit: .zero), Seen())
    let early = try await onOwnThread {
      let begun = DispatchSemaphore(value: 0)
      let late = try SystemThread {
        begun.signal()
        gate.wait()
        let isEarly = !seen.startTimeLimit.load(ordering: .acquiring)
        seen.overtaken.withLock { $0 = [isEarly] }
      }
      begun.wait()
      seen.startTimeLimit.store(true, ordering: .releasing)
      gate.startTimeLimit()
      late.join()
      return seen.overtaken.withLock { $0 }
    }
    #expect(early == [false])
  }

  @Test func `a wait at an open gate ends at once, even after the limit has expired`() async throws {
    let (open, shut) = (TimedGate(limit: Self.never), TimedGate(limit: .zero))
    open.open()
    shut.startTimeLimit()
    let passed = try await onOwnThread { (open.wait(), shut.wait(), shut.isOpen) }
    #expect(passed == (true, false, false))
    #expect(await open.wait())
    #expect(await !shut.wait())
    shut.open()
    #expect(await shut.wait())
    #expect(shut.isOpen)
  }

  @Test func `opening the gate ends the waits of threads and tasks before the limit expires`() async throws {
    let gate = TimedGate(limit: Self.never)
    async let task = gate.wait()
    async let thread = onOwnThread { gate.wait() }
    gate.startTimeLimit()
    gate.open()
    #expect(try await (task, thread) == (true, true))
  }

  @Test func `tasks that wait at a gate do not block threads`() async {
    let gate = TimedGate(limit: Self.never)
    // If the tasks blocked threads, the task that opens the gate would not get a thread.
    let passed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 { group.addTask { await gate.wait() } }
      group.addTask {
        gate.open()
        return true
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(passed == 101)
  }

  @Test func `the limit ends the waits of tasks that arrive before and after its start`() async {
    let gate = TimedGate(limit: .milliseconds(1))
    let passed = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { await gate.wait() } }
      gate.startTimeLimit()
      gate.startTimeLimit()
      for _ in 0..<50 { group.addTask { await gate.wait() } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(passed == 0)
  }
}
