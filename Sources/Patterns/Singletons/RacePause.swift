import Instruments
import Synchronization

/// The document's pause in one race. The pause holds the actors that reach it until the condition of its ``Step`` is
/// met, or until its time is over. The time starts when all actors have asked for the singleton.
///
/// An unguarded accessor therefore always fails, however slow the machine is. A guarded accessor keeps the other
/// callers from reaching the pause, so each race takes the time of the pause.
final class RacePause: Sendable {
  /// The step of the accessor before which it pauses, which determines what ends it early.
  enum Step: Sendable {
    /// Between the check and the creation. The pause ends when all actors have checked the variable and reached the
    /// pause.
    case creation
    /// Between the publication and the set-up. The other actors ask only during the pause, which ends when they have
    /// used the instance that they got.
    case setUp
  }

  let step: Step
  private let actors: Int
  private let gate: BoundedGate
  /// The gate at which the other actors wait until the first actor has published.
  private let published = BoundedGate()
  private let asked = Atomic<Int>(0)
  private let come = Atomic<Int>(0)
  private let used = Atomic<Int>(0)

  /// Creates a pause in a race of `actors` actors.
  init(before step: Step, of actors: Int, atMost time: Duration) {
    self.step = step
    self.actors = actors
    gate = BoundedGate(bound: time)
  }

  /// The number of actors that used an instance that was not set up.
  let halfBuiltUses = Tally()

  /// Notes that an actor is about to ask for the singleton.
  func ask(_ actor: Int) {
    if step == .setUp, actor > 0 { published.pass() }
    if asked.add(1, ordering: .acquiringAndReleasing).newValue == actors { gate.restHasFinished() }
  }

  /// Pauses the accessor.
  func sleep() {
    come(by: 1)
    gate.pass()
  }

  /// Pauses an asynchronous accessor.
  func slept() async {
    come(by: 1)
    await gate.passed()
  }

  private func come(by one: Int) {
    published.open()
    let all = come.add(one, ordering: .acquiringAndReleasing).newValue == actors
    if step == .creation, all { gate.open() }
  }

  /// Notes that an actor uses the instance that it got.
  func use(_ manager: PhotoManager?, _ actor: Int) {
    guard step == .setUp else { return }
    published.open()
    if let manager, !manager.hasPhotosArray { halfBuiltUses.add() }
    if actor > 0, used.add(1, ordering: .acquiringAndReleasing).newValue == actors - 1 { gate.open() }
  }
}
