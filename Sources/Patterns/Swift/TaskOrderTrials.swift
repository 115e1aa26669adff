import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension TaskOrder {
  /// Runs a body, which sends the items of a round, for one round after the other, and times the rounds. In the first
  /// round, which is not timed, the first item may be held.
  var runEachRound: Probe<@Sendable (OrderRound) async -> Void> {
    Probe(reads: [items, repeats], records: [inversions, lost, perItem]) { trial, body in
      try runRounds(trial, isTimed: true, body)
    }
  }

  /// Runs a body as ``runEachRound`` does, and does not time the rounds.
  var runEachUntimedRound: Probe<@Sendable (OrderRound) async -> Void> {
    Probe(reads: [items, repeats], records: [inversions, lost]) { trial, body in
      try runRounds(trial, isTimed: false, body)
    }
  }

  /// Runs a body for one round after the other.
  ///
  /// - Parameter patience: how long a round waits for its items.
  func runRounds(
    _ trial: Trial, isTimed: Bool, patience: Duration = .seconds(20),
    _ body: @escaping @Sendable (OrderRound) async -> Void
  ) throws {
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
  }
}

/// Items that tasks bring, and the order in which they arrived.
final class OrderRound: Sendable {
  private struct State {
    var come = 0
    var latest = -1
    var inversions = 0
    var end: UInt64?
  }

  private let count: Int
  private let isHeld: Bool
  private let state = WaitableValue(State())
  private let laterHasCome = BoundedGate(bound: .seconds(10))
  private let isBlocked = BoundedGate()
  private let actor = DispatchSemaphore(value: 0)

  init(items: Int, isHeld: Bool) {
    count = items
    self.isHeld = isHeld
  }

  /// The items, in the order in which they are sent.
  var items: [Item] { (0..<count).map { Item(round: self, index: $0) } }

  /// An item.
  struct Item: Sendable {
    fileprivate let round: OrderRound
    fileprivate let index: Int

    /// Whether the item is in the second half.
    var isInSecondHalf: Bool { index >= round.count / 2 }
    /// Suspends the task of the first item until a later item has arrived.
    func isHeldIfFirst() async { if index == 0, round.isHeld { await round.laterHasCome.passed() } }
    /// Notes that the item has arrived.
    func notesArrival() { round.notesArrival(index) }
  }

  private func notesArrival(_ index: Int) {
    let count = count
    state.note { state in
      if index < state.latest { state.inversions += 1 }
      state.latest = max(state.latest, index)
      state.come += 1
      if state.come == count { state.end = MonotonicClock.now() }
    }
    if index > 0 { laterHasCome.open() }
  }

  /// Notes that the tasks of all items have been started. If the first task is still held after that, no other task can
  /// overtake it.
  func allHaveStarted() { laterHasCome.restHasFinished() }

  /// Blocks the actor on which the caller runs until the actor may continue.
  func blocksActor() {
    isBlocked.open()
    actor.wait()
  }
  /// Suspends until the actor is blocked.
  func actorIsBlocked() async { await isBlocked.passed() }
  /// Lets the actor continue.
  func letActorGo() { actor.signal() }

  // MARK: Results

  /// Waits until all items have arrived, but no longer than `patience`.
  func waitForAll(within patience: Duration) { state.wait(within: patience) { [count] in $0.come == count } }
  /// The number of items that arrived after a later one.
  var inversions: Int { state.inversions }
  /// The number of items that have not arrived.
  var lost: Int { count - state.come }
  /// The time at which the last item came; nil if an item is missing.
  var end: UInt64? { state.end }
}
