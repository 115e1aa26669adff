import Testing

@testable import Laboratory

/// Tests of the findings on invented traces. Each finding is tested on a trace that has the finding, and on a trace
/// that differs only in the decisive event.
@Suite struct TraceFindingsTests {
  private static let millisecond: UInt64 = 1_000_000

  /// Returns a trace of 10 ms on two cores. Lane 0 is the caller's, and the other lanes are those of pool threads.
  private static func trace(
    pool: Int = 2, kind: Trace.Queue.Kind = .global, end: Trace.End = .completed,
    _ change: (inout Trace) -> Void
  ) -> Trace {
    var trace = Trace(
      scenario: "s", variant: "v", cores: [0, 1], length: 10 * millisecond, end: end,
      queues: [Trace.Queue(label: "one", kind: kind), Trace.Queue(label: "two", kind: kind)])
    trace.lanes = (0...pool).map { number in
      Trace.Lane(
        thread: 100 + number, name: number == 0 ? "caller" : "pool \(number)", kind: number == 0 ? .caller : .pool,
        begin: 0)
    }
    change(&trace)
    return trace
  }

  private static func block(
    _ kind: Trace.Block.Kind = .async, queue: Int = 0, on lane: Int?, by submitter: Int = 0, _ submitted: UInt64 = 0,
    _ begin: UInt64? = nil, _ end: UInt64? = nil, number: Int = 1, isBarrier: Bool = false
  ) -> Trace.Block {
    Trace.Block(
      kind, isBarrier: isBarrier, queue: queue, number: number, submitted: submitted, submitter: submitter, lane: lane,
      begin: begin, end: end)
  }

  private static func wait(
    _ reason: Trace.Wait.Reason, _ begin: UInt64, _ end: UInt64?, queue: Int? = nil
  ) -> Trace.Wait { Trace.Wait(begin: begin, end: end, for: reason, queue: queue) }

  private static func isDeadlock(_ finding: TraceFinding) -> Bool {
    if case .deadlock = finding { true } else { false }
  }

  @Test func `a long block of the main queue delays a notify block that begins right after the long block`() {
    func hangs(_ begin: UInt64, length: UInt64 = 0, third: Bool = false) -> [TraceFinding] {
      let end = begin + max(1000, length * Self.millisecond)
      let further = third ? [Self.block(.notify, on: 0, 0, end + 1000, end + 2000, number: 3)] : []
      return Self.trace(kind: .main) {
        $0.length = 1000 * Self.millisecond
        $0.program = Trace.Program(hang: 250 * Self.millisecond)
        $0.blocks =
          [
            Self.block(on: 0, 0, 10, 400 * Self.millisecond),
            Self.block(.notify, on: 0, 0, begin, end, number: 2),
          ] + further
      }.findings.filter { if case .hang = $0 { true } else { false } }
    }
    let end = 400 * Self.millisecond
    #expect(hangs(end + 1000) == [.hang(block: 0, time: end - 10, waiting: 1, others: 0)])
    // The block of the notification is long, too, but delays nothing.
    #expect(hangs(end + 1000, length: 500) == hangs(end + 1000))
    // It delays a third block.
    #expect(
      hangs(end + 1000, length: 500, third: true) == [
        .hang(block: 1, time: 500 * Self.millisecond, waiting: 1, others: 1)
      ])
    // This block may have become due after the long block.
    #expect(hangs(end + 100 * Self.millisecond) == [])
  }

  @Test(arguments: [(Trace.Queue.Kind.serial, true), (.main, true), (.concurrent, false), (.global, false)])
  func `a sync onto the current queue is a deadlock only on a serial queue`(
    _ kind: Trace.Queue.Kind, _ isDeadlock: Bool
  ) {
    let trace = Self.trace(kind: kind, end: .trapped(signal: 4)) {
      $0.blocks = [Self.block(.sync, on: 0, 100, 200), Self.block(.sync, on: nil, 300, number: 2)]
    }
    let owner = TraceFinding.Owner(lane: 0, block: 0, waitsFor: 0)
    #expect(trace.findings.contains(.deadlock([owner])) == isDeadlock)
    #expect(trace.findings.last == .trap(signal: 4, block: 0))
  }

  @Test func `a barrier sync onto the current concurrent queue is a deadlock`() {
    let trace = Self.trace(kind: .concurrent, end: .hung) {
      $0.blocks = [Self.block(on: 1, 100, 200), Self.block(.sync, on: nil, by: 1, 300, number: 2, isBarrier: true)]
    }
    #expect(trace.findings == [.deadlock([TraceFinding.Owner(lane: 1, block: 0, waitsFor: 0)])])
  }

  @Test
  func `two threads that wait for each other's queues are a deadlock, and one such thread is not`() {
    var trace = Self.trace(kind: .serial, end: .hung) {
      $0.blocks = [
        Self.block(queue: 0, on: 1, 0, 100), Self.block(queue: 1, on: 2, 0, 100),
        Self.block(.sync, queue: 1, on: nil, by: 1, 200, number: 2),
        Self.block(.sync, queue: 0, on: nil, by: 2, 200, number: 2),
      ]
    }
    #expect(
      trace.findings == [
        .deadlock([
          TraceFinding.Owner(lane: 2, block: 1, waitsFor: 0), TraceFinding.Owner(lane: 1, block: 0, waitsFor: 1),
        ])
      ])
    trace.blocks.removeLast()
    #expect(!trace.findings.contains(where: Self.isDeadlock))
  }

  @Test func `threads that wait for locks that they hold are a deadlock of locks`() {
    /// Returns the deadlock of locks if each lane waits for a lock that the lane at its place in `owners` holds.
    func cycle(_ owners: [Int?], until end: UInt64? = nil) -> TraceFinding? {
      Self.trace(end: .hung) { trace in
        trace.program = Trace.Program(hang: 250 * Self.millisecond)
        for (lane, owner) in owners.enumerated() {
          var wait = Self.wait(.lock, 100, end)
          wait.owner = owner.map { trace.lanes[$0].thread }
          trace.lanes[lane].waits = [wait]
        }
      }.findings.first { if case .lockCycle = $0 { true } else { false } }
    }
    #expect(cycle([1, 0]) == .lockCycle([0, 1]))
    #expect(cycle([0]) == .lockCycle([0]))
    // The first lane waits for a lock in the cycle, and holds none itself.
    #expect(cycle([1, 2, 1]) == .lockCycle([1, 2]))
    // The second lane holds a lock and does not wait.
    #expect(cycle([1]) == nil)
    #expect(cycle([1, nil]) == nil)
    // The waits have ended.
    #expect(cycle([1, 0], until: 200) == nil)
  }

  @Test func `the finding of a hang without a deadlock names the waiting threads`() {
    let trace = Self.trace(end: .hung) { $0.lanes[0].waits = [Self.wait(.group, 100, nil)] }
    #expect(trace.findings == [.standstill(lanes: [0])])
  }

  @Test func `a program with a block that waits for a thread is not at a standstill`() {
    func findings(_ blocks: [Trace.Block]) -> [TraceFinding] {
      Self.trace(kind: .concurrent, end: .hung) {
        $0.length = 3000 * Self.millisecond
        $0.program = Trace.Program(hang: 250 * Self.millisecond)
        $0.blocks = blocks
        $0.lanes[1].waits = [Self.wait(.group, 100, nil)]
      }.findings.filter { if case .standstill = $0 { true } else { false } }
    }
    let waiting = Self.block(on: 1, 10, 20)
    #expect(findings([waiting]) == [.standstill(lanes: [1])])
    #expect(findings([waiting, Self.block(on: nil, 30, number: 2)]) == [])
  }

  /// A trace of two blocks that sleep on both threads for 8 ms, while four blocks wait for a thread.
  private static var starved: Trace {
    trace { trace in
      trace.blocks = (1...2).map { block(on: $0, 0, 10, 9 * millisecond, number: $0) }
      trace.blocks += (3...6).map { block(on: 1, 20, 9 * millisecond + 10, 9 * millisecond + 20, number: $0) }
      for lane in 1...2 { trace.lanes[lane].waits = [wait(.sleep, 1 * millisecond, 9 * millisecond)] }
    }
  }

  private static func starvation(_ trace: Trace) -> TraceFinding? {
    trace.findings.first { if case .starvation = $0 { true } else { false } }
  }

  @Test func `a pool whose threads are all blocked while blocks could run is starved`() {
    #expect(Self.starvation(Self.starved) == .starvation(workers: 2, backlog: 4, time: 8 * Self.millisecond))
  }

  @Test func `the starvation of a pool includes a new thread that is soon blocked as well`() {
    var trace = Self.starved
    let (begin, blocked) = (4 * Self.millisecond, 4 * Self.millisecond + 1000)
    trace.lanes.append(
      Trace.Lane(
        thread: 9, name: "pool 3", kind: .pool, begin: begin,
        waits: [Self.wait(.sleep, blocked, 9 * Self.millisecond)]))
    trace.blocks.append(Self.block(on: 3, 20, begin, 9 * Self.millisecond, number: 7))
    #expect(
      Self.starvation(trace)
        == .starvation(workers: 3, backlog: 5, time: 8 * Self.millisecond - (blocked - begin)))
  }

  /// Periods of 3 ms, four times: too short for a finding each, and together a large share of 20 ms.
  @Test(arguments: [(UInt64(20), true), (60, false)])
  func `the pool of a program that is often starved for a short time is starved if this takes a quarter of the time`(
    _ milliseconds: UInt64, _ isFound: Bool
  ) {
    var trace = Self.starved
    trace.program = Trace.Program(hang: 250 * Self.millisecond)
    trace.length = milliseconds * Self.millisecond
    for index in trace.blocks.indices where index < 2 { trace.blocks[index].end = 17 * Self.millisecond }
    for index in trace.blocks.indices where index >= 2 {
      (trace.blocks[index].begin, trace.blocks[index].end) = (17 * Self.millisecond + 10, 17 * Self.millisecond + 20)
    }
    for lane in 1...2 {
      trace.lanes[lane].waits = [1, 5, 9, 13].map { begin in
        Self.wait(.sleep, begin * Self.millisecond, (begin + 3) * Self.millisecond)
      }
    }
    let expected = TraceFinding.starvation(workers: 2, backlog: 4, time: 12 * Self.millisecond)
    #expect(Self.starvation(trace) == (isFound ? expected : nil))
  }

  @Test func `a pool with fewer blocked threads than cores is not starved`() {
    var trace = Self.starved
    trace.cores = [0, 1, 2]
    #expect(Self.starvation(trace) == nil)
  }

  @Test func `a pool with a running thread is not starved`() {
    var trace = Self.starved
    trace.lanes[2].waits = []
    #expect(Self.starvation(trace) == nil)
  }

  @Test func `an idle thread does not count among a pool's blocked threads`() {
    var trace = Self.starved
    trace.lanes.append(
      Trace.Lane(thread: 9, name: "pool 3", kind: .pool, begin: 0, waits: [Self.wait(.work, 0, nil)]))
    #expect(Self.starvation(trace) == .starvation(workers: 2, backlog: 4, time: 8 * Self.millisecond))
  }

  @Test func `blocks that wait for their serial queue are not a sign of a starved pool`() {
    var trace = Self.starved
    trace.queues[0].kind = .serial
    trace.blocks.removeAll { $0.number == 2 }
    trace.lanes[2].waits = []
    trace.lanes.removeLast()
    #expect(Self.starvation(trace) == nil)
  }

  @Test func `a pool is not called starved if calls were lost or not recorded`() {
    var trace = Self.starved
    trace.gaps = [Trace.Gap(.calls, begin: 0, end: 1, lost: 1)]
    #expect(Self.starvation(trace) == nil)
    trace.gaps = []
    trace.missing = [Trace.Missing(.calls, why: "not seen")]
    #expect(Self.starvation(trace) == nil)
  }

  @Test(arguments: [
    (Trace.Block.Kind.job, Trace.Wait.Reason.semaphore, true), (.job, .lock, false), (.async, .semaphore, false),
  ])
  func `a wait inside a job blocks Swift's pool, unless it is a wait for a lock`(
    _ kind: Trace.Block.Kind, _ reason: Trace.Wait.Reason, _ isFound: Bool
  ) {
    let trace = Self.trace(kind: .swiftPool) {
      $0.blocks = [Self.block(kind, on: 1, 0, 10, 5 * Self.millisecond)]
      $0.lanes[1].waits = [Self.wait(reason, 1000, 3 * Self.millisecond)]
    }
    let found = trace.findings.contains { if case .blockedJobs(count: 1, _) = $0 { true } else { false } }
    #expect(found == isFound)
  }

  @Test func `a deadlock of a program does not hide the waits inside jobs that ended before it`() {
    func isFound(_ end: UInt64?) -> Bool {
      Self.trace(kind: .serial, end: .trapped(signal: 4)) {
        $0.program = Trace.Program(hang: 250 * Self.millisecond)
        $0.queues[1].kind = .swiftPool
        $0.blocks = [
          Self.block(.job, queue: 1, on: 1, 0, 10, end), Self.block(.sync, on: 0, 100, 200),
          Self.block(.sync, on: nil, 300, number: 2),
        ]
        $0.lanes[1].waits = [Self.wait(.semaphore, 1000, end)]
      }.findings.contains { if case .blockedJobs = $0 { true } else { false } }
    }
    #expect(isFound(5 * Self.millisecond) && !isFound(nil))
  }

  @Test func `a trap is attributed to a block only if no other thread could have caused it`() {
    func block(_ waits: [Int], kind: Trace.Lane.Kind = .main, open: [Int] = [1]) -> Int? {
      let trace = Self.trace(end: .trapped(signal: 4)) { trace in
        trace.lanes[0].kind = kind
        trace.blocks = open.map { Self.block(on: $0, 0, 10, number: $0) }
        for lane in waits { trace.lanes[lane].waits = [Self.wait(.semaphore, 20, nil)] }
      }
      guard case .trap(_, let block) = trace.findings.last else { return -1 }
      return block
    }
    #expect(block([0]) == 0)
    // The block waits, so the main thread caused the trap.
    #expect(block([1]) == nil)
    // Either thread may have caused the trap.
    #expect(block([]) == nil && block([0], open: [1, 2]) == nil)
    #expect(block([0, 2], open: [1, 2]) == 0 && block([0, 1], open: [1, 2]) == 1)
  }

  @Test func `a wait belongs to the innermost block that is in progress at its time`() {
    let trace = Self.trace {
      $0.blocks = [
        Self.block(.async, on: 1, 0, 10, 900), Self.block(.sync, on: 1, by: 1, 20, 30, 400, number: 2),
        Self.block(.async, on: 1, 0, 2000, 3000, number: 3),
      ]
      $0.lanes[1].waits = [
        Self.wait(.lock, 100, 200), Self.wait(.lock, 500, 600), Self.wait(.lock, 1000, 1100),
        Self.wait(.lock, 2100, 2200), Self.wait(.work, 4000, nil),
      ]
    }
    #expect(trace.workWaits.map(\.block) == [1, 0, 2])
  }

  @Test func `the longest wait of a program may be a wait of its main thread, but not for a descriptor`() throws {
    func longest(_ reason: Trace.Wait.Reason, isProgram: Bool) -> TraceFinding.WorkWait? {
      Self.trace { trace in
        if isProgram { trace.program = Trace.Program(hang: 250_000_000) }
        trace.lanes.append(
          Trace.Lane(
            thread: 900, name: "main", kind: .main, begin: 0, waits: [Self.wait(reason, 500, 5000)]))
        trace.blocks = [Self.block(.async, on: 1, 0, 10, 900)]
        trace.lanes[1].waits = [Self.wait(.sleep, 100, 200)]
      }.longestWait
    }
    let main = try #require(longest(.semaphore, isProgram: true))
    #expect(main.wait.reason == .semaphore && main.block == nil)
    #expect(longest(.descriptor, isProgram: true)?.wait.reason == .sleep)
    #expect(longest(.semaphore, isProgram: false)?.wait.reason == .sleep)
  }

  @Test func `many threads are reported only if their blocks overlap`() {
    func crowded(_ ends: (Int) -> UInt64) -> Trace {
      Self.trace(pool: 8) { trace in
        trace.blocks = (1...8).map { Self.block(on: $0, 0, UInt64($0) * 100, ends($0), number: $0) }
      }
    }
    #expect(crowded { _ in 5000 }.findings.contains(.manyThreads(threads: 8, blocks: 8)))
    let oneByOne = crowded { UInt64($0) * 100 + 50 }.findings
    #expect(!oneByOne.contains { if case .manyThreads = $0 { true } else { false } })
  }

  @Test func `waits in calls of sync are reported if their total time is a large share of a program's time`() {
    func turns(_ waits: UInt64, isProgram: Bool = true) -> TraceFinding? {
      let trace = Self.trace { trace in
        trace.program = isProgram ? Trace.Program(hang: 250 * Self.millisecond) : nil
        trace.blocks = [Self.block(.sync, on: 0, 0, 0, 10)]
        for lane in 0...1 {
          // No wait is longer than a hundredth of the time. The wait without an end is not part of the sum.
          trace.lanes[lane].waits =
            (0..<waits).map { Self.wait(.sync, $0 * 100_000, $0 * 100_000 + 50_000, queue: lane) }
            + [Self.wait(.semaphore, 9_900_000, 9_990_000), Self.wait(.sync, 9_990_000, nil, queue: 0)]
        }
        trace.lanes[1].waits.removeFirst()
      }
      return trace.findings.first { if case .syncWaits = $0 { true } else { false } }
    }
    #expect(turns(40) == .syncWaits(waits: 79, time: 3_950_000, queue: 0, share: 2_000_000))
    // These waits are too few, or not those of a program.
    #expect(turns(25) == nil && turns(40, isProgram: false) == nil)
  }

  @Test func `the iterations of a loop are counted for each thread`() {
    let trace = Self.trace { trace in
      trace.blocks = (1...10).map {
        Self.block(.apply, on: $0 > 8 ? 1 : 0, 5, UInt64($0) * 100, UInt64($0) * 100 + 90, number: $0)
      }
    }
    let shares = [TraceFinding.LoopShare(lane: 0, iterations: 8), .init(lane: 1, iterations: 2)]
    #expect(trace.findings == [.loopShares(shares)])
  }

  @Test(arguments: [(UInt64(200), true), (900, false)])
  func `blocks are called small if they run for less time than passes between submissions`(
    _ run: UInt64, _ isSmall: Bool
  ) {
    let trace = Self.trace { trace in
      trace.blocks = (0..<200).map { number in
        let time = UInt64(number) * 500
        return Self.block(on: 1, time, time + 200_000, time + 200_000 + run, number: number + 1)
      }
    }
    #expect(trace.findings.contains(.smallBlocks(queue: 0, blocks: 200, run: run, apart: 500)) == isSmall)
  }

  @Test func `the longest wait is a wait of the caller or inside a block, not of another thread`() {
    let trace = Self.trace {
      $0.lanes.append(
        Trace.Lane(
          thread: 7, name: "thread 1", kind: .own, begin: 0, waits: [Self.wait(.join, 0, 10 * Self.millisecond)]))
      $0.lanes[0].waits = [Self.wait(.group, 0, 6 * Self.millisecond)]
    }
    let expected = TraceFinding.WorkWait(
      lane: 0, block: nil, wait: Self.wait(.group, 0, 6 * Self.millisecond), time: 6 * Self.millisecond)
    #expect(trace.findings == [.wait(expected)])
  }

  @Test func `blocks that overlap are a finding, and consecutive blocks are not`() {
    let trace = Self.trace {
      $0.blocks = [Self.block(on: 1, 0, 100, 200), Self.block(on: 1, 0, 300, 400, number: 2)]
    }
    #expect(trace.findings == [])
    var both = trace
    both.blocks[1].begin = 150
    both.blocks[1].lane = 2
    #expect(both.findings == [.overlap(blocks: 2)])
  }
}
