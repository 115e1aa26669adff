import Dispatch
import Instruments
import Synchronization

extension TaskOrder {
  /// A probe that runs the variant's body once for each round, and times the rounds. The body sends the items of the
  /// round. The first round is not timed, and its first item may be held.
  var runEachRound: Probe<@Sendable (OrderRound) async -> Void> {
    Probe(reads: [items, repeats], records: [inversions, lost, perItem]) { trial, body in
      try runRounds(trial, isTimed: true, body)
    }
  }

  /// A probe that runs the variant's body once for each round, without timing the rounds. The later half of the items
  /// has a higher priority. The probe records how many items of the lower priority were overtaken by these items.
  var runEachMixedRound: Probe<@Sendable (OrderRound) async -> Void> {
    Probe(reads: [items, repeats], records: [inversions, overtaken, lost]) { trial, body in
      trial.record(overtaken, try runRounds(trial, isTimed: false, body).sum { $0.overtaken })
    }
  }

  /// Runs `body` for each round in turn. Records how many items arrived after a later item, and how many did not
  /// arrive. Returns the rounds.
  ///
  /// - Parameter patience: the longest time that a round waits for its items.
  @discardableResult func runRounds(
    _ trial: Trial, isTimed: Bool, patience: Duration = .seconds(20),
    _ body: @escaping @Sendable (OrderRound) async -> Void
  ) throws -> [OrderRound] {
    let count = trial[items]
    let rounds = try (0...trial[repeats]).map { index in
      let round = OrderRound(items: count, isHeld: index == 0)
      let begin = MonotonicClock.now()
      try waitFor { await body(round) }
      round.waitForAll(within: patience)
      if isTimed, index > 0, let end = round.end { trial.record(perItem, end - begin, over: count) }
      return round
    }
    trial.record(inversions, rounds.sum { $0.inversions })
    trial.record(lost, rounds.sum { $0.lost })
    return rounds
  }
}

/// The items of a round, with a record of the order in which they arrive.
final class OrderRound: Sendable {
  private struct State {
    var arrived = 0
    var latest = -1
    var (inversions, overtaken) = (0, 0)
    var end: UInt64?
  }

  private let count: Int
  private let isHeld: Bool
  private let state = WaitableValue(State())
  private let arrivals: ExecutionCounts
  private let laterHasArrived = TimedGate(limit: .seconds(10))
  private let isBlocked = TimedGate()
  private let actor = DispatchSemaphore(value: 0)

  init(items: Int, isHeld: Bool) {
    count = items
    arrivals = ExecutionCounts(count: items)
    self.isHeld = isHeld
  }

  /// The items, in the order in which they are sent.
  var items: [Item] { (0..<count).map { Item(round: self, index: $0) } }

  /// An item that is sent to an actor or a queue.
  struct Item: Sendable {
    fileprivate let round: OrderRound
    fileprivate let index: Int

    /// Whether the item is in the second half of the round.
    var isInSecondHalf: Bool { index >= round.count / 2 }
    /// Suspends the task if this item is the first and the round holds its first item. The suspension lasts until a
    /// later item has arrived or a time limit has passed.
    func waitIfFirst() async { if index == 0, round.isHeld { await round.laterHasArrived.wait() } }
    /// Records that the item has arrived.
    func recordArrival() { round.recordArrival(index) }
  }

  private func recordArrival(_ index: Int) {
    let count = count
    // A second arrival of an item does not stand for another item.
    let isFirst = arrivals.ran(index) == 1
    state.note { state in
      if index < state.latest { state.inversions += 1 }
      if index < count / 2, state.latest >= count / 2 { state.overtaken += 1 }
      state.latest = max(state.latest, index)
      state.arrived += isFirst ? 1 : 0
      if state.arrived == count { state.end = MonotonicClock.now() }
    }
    if index > 0 { laterHasArrived.open() }
  }

  /// Starts a time limit of 10 seconds for the held task, since it is possible that no other task can overtake the held
  /// task. Call this method once the tasks of all items have been started.
  func allHaveStarted() { laterHasArrived.startTimeLimit() }

  /// Blocks the calling actor until ``unblockActor()`` is called.
  func blockActor() {
    isBlocked.open()
    actor.wait()
  }
  /// Suspends the caller until the actor is blocked.
  func waitUntilActorIsBlocked() async { await isBlocked.wait() }
  /// Lets the actor continue after ``blockActor()``.
  func unblockActor() { actor.signal() }

  // MARK: Results

  /// Waits until all items have arrived, but no longer than `patience`.
  func waitForAll(within patience: Duration) { state.wait(within: patience) { [count] in $0.arrived == count } }
  /// The number of items that arrived after an item that was sent later.
  var inversions: Int { state.inversions }
  /// The number of items of the first half that arrived after an item of the second half.
  var overtaken: Int { state.overtaken }
  /// The number of items that have not arrived.
  var lost: Int { count - state.arrived }
  /// The time at which the last item arrived, in nanoseconds of the monotonic clock; nil if an item is missing.
  var end: UInt64? { state.end }
}
