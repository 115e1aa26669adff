import Dispatch
import Instruments
import Platform
import Synchronization

extension StructuredCost {
  /// A probe for a body that creates children, and pauses before it ends. The probe records the time per child. The
  /// probe also records the allocations and the retained memory per child, if they can be measured. The trial is
  /// unavailable if the system does not report the states of threads.
  var spawn: Probe<@Sendable (Children) async -> Void> {
    Probe(
      reads: [children, repeats, keptChildren],
      records: [perChild, allocationsPerChild, bytesPerChild, keptPerChild, unended]
    ) { trial, run in
      let count = trial[children]
      var unended = 0
      for number in 0...trial[repeats] {
        let children = Children(count: count)
        let time = try waitFor {
          let begin = MonotonicClock.now()
          await run(children)
          return MonotonicClock.now() - begin
        }
        // The first run is the warm-up.
        if number > 0 { trial.record(perChild, time, over: count) }
        unended += children.unended
      }
      let counted = Children(count: count)
      if let made = try waitFor({ await Allocations.during { await run(counted) } }) {
        trial.record(allocationsPerChild, Double(made.count) / Double(count))
        trial.record(bytesPerChild, Double(made.bytes) / Double(count))
      }
      // A child that only records its run usually ends before its scope, even if nothing waits for the child.
      let wait = StandstillWait(standstill)
      let held = Children(count: count, holdsLast: wait)
      try waitFor {
        await run(held)
        held.scopeEnds()
      }
      try wait.requireResult()
      try recordKept(trial, run)
      trial.record(self.unended, unended + counted.unended + held.unendedAtEnd)
    }
  }

  private func recordKept(_ trial: Trial, _ run: @escaping @Sendable (Children) async -> Void) throws {
    // Dispatch and the heap retain some freed memory for reuse. A first parent runs unmeasured, so that this memory
    // already exists.
    let count = trial[keptChildren]
    try waitFor { await run(Children(count: count)) }
    try standstill.wait()
    let children = Children(count: count, pause: TimedGate())
    let before = Host.heapInUse
    let done = DispatchSemaphore(value: 0)
    Task {
      await run(children)
      done.signal()
    }
    defer {
      children.endPause()
      done.wait()
    }
    try standstill.wait()
    guard let before, let after = Host.heapInUse else { return }
    trial.record(keptPerChild, Double(max(0, after - before)) / Double(count))
  }
}

/// The children of one parent.
final class Children: Sendable {
  private let runs: ChildRuns
  private let gate: TimedGate?
  /// The children, in the order of their creation.
  let all: [Child]
  /// The children in pairs. If the number of children is odd, the second child of the last pair is an additional child.
  let pairs: [(first: Child, second: Child)]

  fileprivate init(count: Int, pause gate: TimedGate? = nil, holdsLast hold: StandstillWait? = nil) {
    let runs = ChildRuns(count: count, holdsLast: hold)
    self.runs = runs
    self.gate = gate
    all = (0..<count).map { Child(runs: runs, index: $0) }
    pairs = stride(from: 0, to: count, by: 2).map { (Child(runs: runs, index: $0), Child(runs: runs, index: $0 + 1)) }
  }

  /// Suspends the parent at the end of its scope until the memory has been measured. Returns immediately if the run
  /// does not measure memory.
  func pause() async { await gate?.wait() }

  fileprivate func endPause() { gate?.open() }

  /// Records that the scope of the children has ended, and how many children have not run. A held child then ends.
  fileprivate func scopeEnds() { runs.scopeEnds(with: unended) }
  /// The number of children that had not run when the scope ended.
  fileprivate var unendedAtEnd: Int { runs.unendedAtEnd ?? 0 }
  /// The number of children that have not run.
  fileprivate var unended: Int { all.count { !$0.hasRun } }
}

/// A child that only records that it ran.
struct Child: Sendable {
  fileprivate let runs: ChildRuns
  fileprivate let index: Int

  /// Records that the child ran.
  func run() { runs.ran(index) }
  /// Records that the child ran, as an asynchronous function.
  @inline(never) func runAsync() async { runs.ran(index) }
  fileprivate var hasRun: Bool { runs.counts[index] > 0 }
}

/// The runs of the children of one parent. The last child may be held.
private final class ChildRuns: Sendable {
  let counts: ExecutionCounts
  private let last: Int
  /// The wait for which the last child is held; nil if no child is held.
  private let hold: StandstillWait?
  private let unended = Mutex<Int?>(nil)

  init(count: Int, holdsLast hold: StandstillWait?) {
    // One count is for the additional child of the last pair.
    counts = ExecutionCounts(count: count + 1)
    last = count - 1
    self.hold = hold
  }

  /// Records that the child at `index` ran. If the child is held, first blocks the thread until the scope has ended or
  /// all other threads sleep. In the latter case, the scope waits for the child.
  func ran(_ index: Int) {
    if let hold, index == last { hold.wait { unendedAtEnd != nil } }
    counts.ran(index)
  }

  func scopeEnds(with unended: Int) { self.unended.withLock { $0 = unended } }
  var unendedAtEnd: Int? { unended.withLock(\.self) }
}
