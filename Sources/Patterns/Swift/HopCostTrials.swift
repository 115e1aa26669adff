import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension HopCost {
  /// Makes round trips by blocks, from a serial queue for each caller.
  ///
  /// - Parameter body: hops to the place, counts the visit there, and has `back` run on the queue that it came from.
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

  /// Makes round trips by C functions, each of which receives a `FunctionHopper`.
  func hopByFunctions(
    _ trial: Trial, to there: FunctionQueue, _ body: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) throws {
    try measure(trial) { visits, hops, times in
      let hopper = FunctionHopper(visits: visits, hops: hops, times: times, to: there, body)
      hopper.run()
    }
  }

  /// Makes round trips from a thread that calls synchronously.
  func callSynchronously(_ trial: Trial, _ makeTrips: @escaping @Sendable (RoundTrips) -> Void) throws {
    try measure(trial) { visits, hops, times in
      times.start.set()
      makeTrips(RoundTrips(hops, to: visits))
      visits.isHere()
      times.end.set()
    }
    noteFloor(trial)
  }

  /// Makes round trips in a task.
  func hopAsTask(_ trial: Trial, _ makeTrips: @escaping @Sendable (RoundTrips) async -> Void) throws {
    try measure(trial) { visits, hops, times in
      let hasEnded = DispatchSemaphore(value: 0)
      Task {
        times.start.set()
        await makeTrips(RoundTrips(hops, to: visits))
        visits.isHere()
        times.end.set()
        hasEnded.signal()
      }
      hasEnded.wait()
    }
    noteFloor(trial)
  }

  /// Notes the time of an empty loop over the round trips.
  private func noteFloor(_ trial: Trial) {
    let trips = RoundTrips(trial[batch], to: Visits())
    trial.noteFloor(of: roundTrip, over: trips.count) { trips.each { _ in } }
  }

  /// - Parameter makeHops: makes this many round trips, notes when they began and ended, and then returns.
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
    trial.record(lost, abs(batch * (Batches.count + 1) + callers * calls - visits.count) + abs(batch - watched.count))
  }
}

/// Round trips to a place, one after the other.
struct RoundTrips: Sendable {
  /// The number of round trips.
  let count: Int
  private let visits: Visits

  /// Creates round trips to the place that `visits` counts.
  init(_ count: Int, to visits: Visits) { (self.count, self.visits) = (count, visits) }

  /// Makes the round trips one after the other, in a timed loop.
  @inline(__always)
  func each(_ trip: (Visits) -> Void) {
    timedLoop(count) { _ in
      visits.isHere()
      trip(visits)
    }
  }

  /// Makes asynchronous round trips one after the other.
  @inline(__always)
  func each(isolation: isolated (any Actor)? = #isolation, _ trip: (Visits) async -> Void) async {
    await timedLoop(count) { _ in
      visits.isHere()
      await trip(visits)
    }
  }
}

/// The times at which a caller's round trips began and ended.
final class HopTimes: Sendable {
  /// The time at which the first round trip began.
  let start = Moment()
  /// The time at which the last round trip ended.
  let end = Moment()
}

/// A counter of visits. It uses plain loads and stores with relaxed accesses, since the place must order the visits.
final class Visits: Sendable {
  private let visits = Atomic<Int>(0)
  private let watchesThreads: Bool
  private let lastThread = Atomic<Int>(0)
  private let changed = Atomic<Int>(0)

  fileprivate init(watchesThreads: Bool = false) { self.watchesThreads = watchesThreads }

  /// Counts one visit.
  func add() {
    visits.store(visits.load(ordering: .relaxed) + 1, ordering: .relaxed)
    if watchesThreads { look() }
  }

  /// Notes that the caller is back at its origin. It is called before each round trip and after the last.
  @inline(__always)
  fileprivate func isHere() { if watchesThreads { look() } }

  @inline(never)
  private func look() {
    let thread = ThreadCensus.currentThread
    let last = lastThread.exchange(thread, ordering: .relaxed)
    if last != thread, last != 0 { changed.add(1, ordering: .relaxed) }
  }

  /// The number of visits.
  fileprivate var count: Int { visits.load(ordering: .acquiring) }
  /// The number of times that the caller continued on another thread.
  fileprivate var changes: Int { changed.load(ordering: .acquiring) }
}

/// A caller that makes round trips by blocks, from a queue of its own.
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

  /// Makes all round trips.
  func run() {
    here.async {
      self.times.start.set()
      self.goes()
    }
    hasEnded.wait()
  }

  /// Begins the next round trip, or ends the run after the last one. It is called on `here`.
  private func goes() {
    visits.isHere()
    if left.subtract(1, ordering: .relaxed).newValue < 0 {
      times.end.set()
      hasEnded.signal()
    } else {
      body(here, visits) { self.goes() }
    }
  }
}

/// A caller that makes round trips by C functions, which receive a pointer to it.
///
/// Unchecked: the queues may be used from any thread.
final class FunctionHopper: @unchecked Sendable {
  /// The queue that the caller comes from.
  let here: UnsafeMutableRawPointer
  /// The queue that the caller visits.
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

  /// Returns the caller that a pointer refers to.
  static func of(_ hopper: UnsafeMutableRawPointer?) -> FunctionHopper {
    guard let hopper else { preconditionFailure("a function of a hopper's is always given the hopper") }
    return Unmanaged<FunctionHopper>.fromOpaque(hopper).takeUnretainedValue()
  }

  /// Ends a round trip, on the queue that it came from, and begins the next one.
  static func endTrip(_ hopper: UnsafeMutableRawPointer?) { of(hopper).goes() }

  /// Makes all round trips.
  fileprivate func run() {
    let hopper = Unmanaged.passUnretained(self).toOpaque()
    gcdlab_dispatch_async_f(here, hopper) { hopper in
      FunctionHopper.of(hopper).times.start.set()
      FunctionHopper.endTrip(hopper)
    }
    // The caller must exist until the last function has run, which signals as its last act.
    withExtendedLifetime(self) { hasEnded.wait() }
  }

  private func goes() {
    visits.isHere()
    // Only one function runs at a time, so a load and a store suffice.
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
