import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

extension CompletionBlock {
  /// Returns a probe that makes calls that compute averages, one after the other, and checks each result at the end of
  /// the trial. The first call is a warm-up, which is not checked.
  ///
  /// - Parameter namesQueue: whether the caller passes a queue for the result. If true, the probe also counts the
  ///   results that arrive on another queue.
  func measure(namesQueue: Bool) -> Probe<@Sendable (AverageCall) -> Void> {
    Probe(reads: [calls, numbers], records: metrics + (namesQueue ? [wrongQueue] : [])) { trial, body in
      var log = CallLog()
      let (calls, numbers) = (trial[calls], trial[numbers])
      for number in 0...calls {
        let call = AverageCall(number: number, count: numbers, in: log.unfreed)
        call.recordBegin()
        body(call)
        if number > 0 { log.add(call) }
      }
      record(trial, log, namesQueue: namesQueue)
    }
  }

  /// A probe that calls an async function repeatedly from a task, and checks each result at the end of the trial. The
  /// first call is a warm-up, which is not checked.
  var measureAsTask: Probe<@Sendable (AverageCall) async -> Void> {
    Probe(reads: [calls, numbers], records: metrics) { trial, body in
      let (calls, numbers) = (trial[calls], trial[numbers])
      let log = try waitFor {
        var log = CallLog()
        for number in 0...calls {
          let call = AverageCall(number: number, count: numbers, in: log.unfreed)
          call.recordBegin()
          await body(call)
          if number > 0 { log.add(call) }
        }
        return log
      }
      record(trial, log, namesQueue: false)
    }
  }

  /// The metrics that every trial records.
  private var metrics: [any Declaration] { [wrongResult, notOnce, roundTrip] }

  /// The results and the round trips of a trial's calls, without those of the warm-up call.
  private struct CallLog: Sendable {
    /// The group of the calls that have not been freed, including the warm-up call. A call enters the group when it is
    /// created, and leaves the group when it is freed.
    let unfreed = DispatchGroup()
    private(set) var states: [WaitableValue<AverageCall.State>] = []
    private(set) var roundTrips: [UInt64?] = []

    mutating func add(_ call: AverageCall) {
      states.append(call.state)
      roundTrips.append(call.roundTrip)
    }
  }

  private func record(_ trial: Trial, _ log: CallLog, namesQueue: Bool) {
    // A completion block holds a reference to its call. No further result can arrive once all calls have been freed.
    log.unfreed.wait(within: .seconds(20))
    let states = log.states.map { $0.now }
    trial.record(wrongResult, states.count { $0.wasWrong })
    trial.record(notOnce, states.count { $0.arrivals != 1 })
    if namesQueue { trial.record(wrongQueue, states.count { $0.wasElsewhere }) }
    trial.record(roundTrip, log.roundTrips)
  }
}

/// A call that computes an average, with the numbers and a record of the result.
final class AverageCall: Sendable {
  private static let key = DispatchSpecificKey<Int>()
  private let number: Int
  private let data: [Int]
  private let unfreed: DispatchGroup
  private let isHeldBack = Atomic<Bool>(false)
  private let mayCompute = DispatchSemaphore(value: 0)
  fileprivate let state = WaitableValue(State())
  private let begin = Moment()
  private let arrival = Moment()

  fileprivate struct State {
    var arrivals = 0
    var wasWrong = false
    var wasElsewhere = false
  }

  /// Creates a call with `count` numbers whose average is `number + count - 1`. The call is in the group `unfreed`
  /// until it is freed.
  fileprivate init(number: Int, count: Int, in unfreed: DispatchGroup) {
    self.number = number
    self.unfreed = unfreed
    data = (0..<count).map { number + 2 * $0 }
    unfreed.enter()
  }

  deinit { unfreed.leave() }

  /// Creates the queue on which the result must arrive.
  func makeQueue() -> DispatchQueue {
    let queue = DispatchQueue(label: "com.example.Results")
    queue.setSpecific(key: Self.key, value: number)
    return queue
  }

  /// Creates the queue on which the result must arrive, as a ``CountedQueue`` with one reference. The first block of
  /// the queue runs until the last reference is released.
  func makeCountedQueue() -> CountedQueue {
    let queue = CountedQueue()
    queue.mark(token)
    queue.keepUntilLastRelease()
    return queue
  }

  /// The pointer that is both the key and the value of the entry that identifies the ``CountedQueue`` of this call.
  private var token: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Records the start of the call.
  fileprivate func recordBegin() { begin.set() }

  /// Blocks the computation until ``continueComputation()`` is called.
  func holdComputation() { isHeldBack.store(true, ordering: .releasing) }

  /// Lets the computation continue, which waits for this call before it ends.
  func continueComputation() { mayCompute.signal() }

  /// Waits until the computation is not blocked, and returns the average.
  func average() -> Int {
    if isHeldBack.load(ordering: .acquiring) { mayCompute.wait() }
    return data.reduce(0, +) / data.count
  }

  /// Records a result, and whether the caller runs on the queue on which the result must arrive.
  func noteResult(_ average: Int) {
    arrival.set()
    let isElsewhere =
      DispatchQueue.getSpecific(key: Self.key) != number && gcdlab_dispatch_get_specific(token) != token
    state.note { state in
      state.arrivals += 1
      // A correct second result must not hide a wrong first result.
      state.wasWrong = state.wasWrong || average != number + data.count - 1
      state.wasElsewhere = state.wasElsewhere || isElsewhere
    }
  }

  /// Waits until a result has arrived, for at most 20 seconds.
  func awaitResult() { state.wait(within: .seconds(20)) { $0.arrivals > 0 } }

  fileprivate var roundTrip: UInt64? { arrival.since(begin) }
}

/// A serial queue that is used with Dispatch's C functions, with a count of its references. Dispatch frees the queue
/// after every reference has been released and the last block has run.
///
/// Conformance to `Sendable` is unchecked: a queue may be used from any thread.
final class CountedQueue: @unchecked Sendable {
  private let object = gcdlab_dispatch_queue_create("com.example.Results", nil)
  private let references = Atomic<Int>(1)
  private let lastRelease = DispatchSemaphore(value: 0)

  /// Retains the queue.
  func retain() {
    references.add(1, ordering: .relaxed)
    gcdlab_dispatch_retain(object)
  }

  /// Releases the queue. The last release ends the block of ``keepUntilLastRelease()``.
  func release() {
    let remaining = references.subtract(1, ordering: .acquiringAndReleasing).newValue
    gcdlab_dispatch_release(object)
    if remaining == 0 { lastRelease.signal() }
  }

  /// Submits a block to the queue.
  func async(_ block: @escaping @Sendable () -> Void) { RetainedQueue(created: object).async(block) }

  /// Stores `token` as a queue-specific value with `token` as its key. Blocks identify the queue by this value.
  fileprivate func mark(_ token: UnsafeMutableRawPointer) {
    gcdlab_dispatch_queue_set_specific(object, token, token, nil)
  }

  /// Submits a block that runs until the last reference to the queue is released.
  fileprivate func keepUntilLastRelease() {
    let lastRelease = lastRelease
    async { lastRelease.wait() }
  }
}
