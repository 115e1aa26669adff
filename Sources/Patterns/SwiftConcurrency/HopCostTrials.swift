import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// The code that runs the trials, and the finding about the locks among the variants.
extension HopCost: FindingPattern {
  /// Returns a note for a comparison that compares `actor` or `queue-sync` with a variant that hops to another thread.
  /// These two only lock an uncontended target, and are not faster ways to do the same. Returns an empty array for any
  /// other experiment.
  func findings(in results: Results) -> [RunNote] {
    guard results.experiment.isComparison else { return [] }
    let locks = results.runs.filter { ["actor", "queue-sync"].contains($0.variant.name) }
    let names = locks.map(\.variant.name).distinct
    guard !locks.isEmpty, locks.count < results.runs.count else { return [] }
    return [
      RunNote(
        Conclusion.advice,
        "\(names.joined(separator: " and ")) only \(names.count > 1 ? "lock" : "locks") the target if no other caller "
          + "uses it; the other variants wake a thread. They are not different speeds of the same work."
          + (results.experiment.headline == contended.metric
            ? "" : " `--metric contended` compares them with several callers."),
        runs: locks.map(\.label))
    ]
  }

  /// Measures round trips that are made with blocks. Each caller starts from a serial queue of its own.
  ///
  /// - Parameter body: a closure that submits a block to the target. The block counts the visit, and then submits
  ///   `back` to the queue `here`.
  func hop(
    _ trial: Trial,
    _ body:
      @escaping @Sendable (_ here: DispatchQueue, _ visits: Visits, _ back: @escaping @Sendable () -> Void) -> Void
  ) throws {
    try measure(trial) { visits, hops, times in
      let hopper = BlockHopper(visits: visits, hops: hops, times: times, body)
      hopper.run()
    }
  }

  /// Measures round trips that are made with C functions. Each function receives a pointer to a ``FunctionHopper``.
  func hopByFunctions(
    _ trial: Trial, to there: FunctionQueue, _ body: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) throws {
    try measure(trial) { visits, hops, times in
      let hopper = FunctionHopper(visits: visits, hops: hops, times: times, to: there, body)
      hopper.run()
    }
  }

  /// Measures round trips from a thread that calls the target synchronously.
  func callSynchronously(_ trial: Trial, _ makeTrips: @escaping @Sendable (RoundTrips) -> Void) throws {
    try measure(trial) { visits, hops, times in
      times.start.set()
      makeTrips(RoundTrips(hops, to: visits))
      visits.recordThread()
      times.end.set()
    }
    noteFloor(trial)
  }

  /// Measures round trips that a task awaits.
  func hopAsTask(_ trial: Trial, _ makeTrips: @escaping @Sendable (RoundTrips) async -> Void) throws {
    try measure(trial) { visits, hops, times in
      let hasEnded = DispatchSemaphore(value: 0)
      Task {
        times.start.set()
        await makeTrips(RoundTrips(hops, to: visits))
        visits.recordThread()
        times.end.set()
        hasEnded.signal()
      }
      hasEnded.wait()
    }
    noteFloor(trial)
  }

  /// Measures an empty loop over the round trips, and records the time as the noise floor of the round trips.
  private func noteFloor(_ trial: Trial) {
    let trips = RoundTrips(trial[batch], to: Visits())
    trial.noteFloor(of: roundTrip, over: trips.count) { trips.each { _ in } }
  }

  /// Measures round trips from one caller, and from several callers at the same time.
  ///
  /// - Parameter makeHops: a closure that makes `hops` round trips, and records in `times` when the round trips began
  ///   and ended.
  private func measure(
    _ trial: Trial,
    _ makeHops: @escaping @Sendable (_ visits: Visits, _ hops: Int, _ times: HopTimes) -> Void
  ) throws {
    let (batch, callers, calls) = (trial[batch], trial[callers], trial[calls])
    try SystemThread.requireCapacity(for: 2 * callers + 4)
    let visits = Visits()
    for repeated in 0...Batches.count {
      let times = HopTimes()
      makeHops(visits, batch, times)
      if repeated > 0, let time = times.end.since(times.start) { trial.record(roundTrip, time, over: batch) }
    }
    let watched = Visits(watchesThreads: true)
    makeHops(watched, batch, HopTimes())
    trial.record(threadSwitches, 100 * Double(watched.changes) / Double(2 * batch))

    let all = (0..<callers).map { _ in HopTimes() }
    try Team.run(callers) { caller in makeHops(visits, calls, all[caller]) }
    if let first = all.compactMap({ $0.start.time }).min(), let last = all.compactMap({ $0.end.time }).max() {
      trial.record(contended, last - first, over: callers * calls)
    }
    // The counts of the timed round trips show that two visits overlap only if both are between a load and a store.
    let wait = StandstillWait(standstill)
    let held = Visits(holdsFirst: wait)
    try Team.run(callers) { _ in makeHops(held, 1, HopTimes()) }
    try wait.requireResult()
    trial.record(overlaps, held.haveOverlapped ? 1 : 0)
    trial.record(lost, abs(batch * (Batches.count + 1) + callers * calls - visits.count) + abs(batch - watched.count))
  }
}

/// Round trips to a target, one after another.
struct RoundTrips: Sendable {
  /// The number of round trips.
  let count: Int
  private let visits: Visits

  /// Creates round trips to a target. `visits` counts the visits of the target.
  init(_ count: Int, to visits: Visits) { (self.count, self.visits) = (count, visits) }

  /// Executes `trip` once for each round trip, in a timed loop.
  @inline(__always)
  func each(_ trip: (Visits) -> Void) {
    timedLoop(count) { _ in
      visits.recordThread()
      trip(visits)
    }
  }

  /// Executes an asynchronous `trip` once for each round trip.
  @inline(__always)
  func each(isolation: isolated (any Actor)? = #isolation, _ trip: (Visits) async -> Void) async {
    await timedLoop(count) { _ in
      visits.recordThread()
      await trip(visits)
    }
  }
}

/// The times at which the round trips of one caller began and ended.
final class HopTimes: Sendable {
  /// The time at which the first round trip began.
  let start = Moment()
  /// The time at which the last round trip ended.
  let end = Moment()
}

/// A counter of visits to a target. The counter uses relaxed loads and stores instead of atomic increments, since the
/// target must serialize the visits.
final class Visits: Sendable {
  private let visits = Atomic<Int>(0)
  private let watchesThreads: Bool
  private let lastThread = Atomic<Int>(0)
  private let changed = Atomic<Int>(0)
  private let hold: StandstillWait?
  private let isTimed: Bool
  private let begun = Atomic<Int>(0)
  private let overlap = AtomicFlag()

  /// Creates a counter.
  ///
  /// - Parameter hold: the wait for which the first visit is held; nil if no visit is held.
  fileprivate init(watchesThreads: Bool = false, holdsFirst hold: StandstillWait? = nil) {
    (self.watchesThreads, self.hold) = (watchesThreads, hold)
    isTimed = !watchesThreads && hold == nil
  }

  /// Counts one visit. Records the thread of the visit if the counter watches threads, and holds the visit if it is the
  /// first and the counter holds the first visit.
  func add() {
    visits.store(visits.load(ordering: .relaxed) + 1, ordering: .relaxed)
    if isTimed { return }
    if let hold { passOrWait(hold) } else { look() }
  }

  /// Blocks the caller until another visit begins or all other threads sleep, if the caller is the first visit.
  @inline(never)
  private func passOrWait(_ hold: StandstillWait) {
    guard begun.add(1, ordering: .acquiringAndReleasing).newValue == 1 else { return }
    if hold.wait(for: { begun.load(ordering: .acquiring) > 1 }) { overlap.set() }
  }

  /// Records the thread of the caller if the counter watches threads. Call this method before each round trip and after
  /// the last round trip.
  @inline(__always)
  fileprivate func recordThread() { if watchesThreads { look() } }

  @inline(never)
  private func look() {
    let thread = ThreadCensus.currentThread
    let last = lastThread.exchange(thread, ordering: .relaxed)
    if last != thread, last != 0 { changed.add(1, ordering: .relaxed) }
  }

  /// The number of visits.
  fileprivate var count: Int { visits.load(ordering: .acquiring) }
  /// Whether another visit began while the first was held.
  fileprivate var haveOverlapped: Bool { overlap.isSet }
  /// The number of times that execution continued on another thread; 0 if the counter does not watch threads.
  fileprivate var changes: Int { changed.load(ordering: .acquiring) }
}

/// A caller that makes round trips with blocks, from its own queue.
private final class BlockHopper: Sendable {
  private let here = DispatchQueue(label: "here")
  private let visits: Visits
  private let times: HopTimes
  private let body: @Sendable (DispatchQueue, Visits, @escaping @Sendable () -> Void) -> Void
  private let left: Atomic<Int>
  private let hasEnded = DispatchSemaphore(value: 0)

  init(
    visits: Visits, hops: Int, times: HopTimes,
    _ body: @escaping @Sendable (DispatchQueue, Visits, @escaping @Sendable () -> Void) -> Void
  ) {
    (self.visits, self.times, self.body) = (visits, times, body)
    left = Atomic(hops)
  }

  /// Makes all round trips, and waits until they have ended.
  func run() {
    here.async {
      self.times.start.set()
      self.startNextTrip()
    }
    hasEnded.wait()
  }

  /// Starts the next round trip, or ends the run after the last round trip. Call this method on the caller's queue.
  private func startNextTrip() {
    visits.recordThread()
    if left.subtract(1, ordering: .relaxed).newValue < 0 {
      times.end.set()
      hasEnded.signal()
    } else {
      body(here, visits) { self.startNextTrip() }
    }
  }
}

/// A caller that makes round trips with C functions. The functions receive a pointer to the caller.
///
/// Conformance to `Sendable` is unchecked: the queues may be used from any thread.
final class FunctionHopper: @unchecked Sendable {
  /// The queue on which each round trip begins and ends.
  let here: UnsafeMutableRawPointer
  /// The queue that each round trip visits.
  let there: UnsafeMutableRawPointer
  /// The counter of visits.
  let visits: Visits
  private let queues: (FunctionQueue, FunctionQueue)
  private let times: HopTimes
  private let body: @Sendable (UnsafeMutableRawPointer) -> Void
  private let left: Atomic<Int>
  private let hasEnded = DispatchSemaphore(value: 0)

  fileprivate init(
    visits: Visits, hops: Int, times: HopTimes, to place: FunctionQueue,
    _ body: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) {
    queues = (FunctionQueue(label: "here"), place)
    (here, there) = (queues.0.object, queues.1.object)
    (self.visits, self.times, self.body) = (visits, times, body)
    left = Atomic(hops)
  }

  /// Returns the object at `hopper`, which must not be nil.
  static func of(_ hopper: UnsafeMutableRawPointer?) -> FunctionHopper {
    guard let hopper else { preconditionFailure("the hopper must not be nil") }
    return Unmanaged<FunctionHopper>.fromOpaque(hopper).takeUnretainedValue()
  }

  /// Starts the next round trip, or ends the run after the last round trip. Call this method on the queue ``here``:
  /// once before the first round trip, and at the end of each round trip.
  static func endTrip(_ hopper: UnsafeMutableRawPointer?) { of(hopper).startNextTrip() }

  /// Makes all round trips, and waits until they have ended.
  fileprivate func run() {
    let hopper = Unmanaged.passUnretained(self).toOpaque()
    gcdlab_dispatch_async_f(here, hopper) { hopper in
      FunctionHopper.of(hopper).times.start.set()
      FunctionHopper.endTrip(hopper)
    }
    // The object must exist until the last function has run. That function signals the semaphore as its last action.
    withExtendedLifetime(self) { hasEnded.wait() }
  }

  private func startNextTrip() {
    visits.recordThread()
    // Only one function of a hopper runs at a time, so a load and a store suffice.
    let next = left.load(ordering: .relaxed) - 1
    left.store(next, ordering: .relaxed)
    if next < 0 {
      times.end.set()
      hasEnded.signal()
    } else {
      body(Unmanaged.passUnretained(self).toOpaque())
    }
  }
}
