import Instruments
import Synchronization

/// The pause of an accessor in one race.
///
/// In the accessor of the document "GCD in depth", the pause lasts two seconds. This pause blocks the actors that reach
/// it until the condition of its ``Step`` is met, or until a timeout. The timeout starts when all actors have requested
/// the singleton.
///
/// An unguarded accessor therefore fails even on a slow machine, if the timeout is long enough. A guarded accessor lets
/// only one actor reach the pause, so the pause lasts until the timeout.
final class RacePause: Sendable {
  /// The step of the accessor that follows the pause. The step determines the condition that ends the pause early.
  enum Step: Sendable {
    /// The creation of the instance, which follows the check of the variable. The pause ends when all actors have
    /// reached it.
    case creation
    /// The set-up of the instance, which follows its publication. All actors except the first request the singleton
    /// only during the pause. The pause ends when these actors have used the instance that they received.
    case setUp
  }

  let step: Step
  private let actors: Int
  private let gate: BoundedGate
  /// The gate that blocks all actors except the first until the first actor has published its instance.
  private let published = BoundedGate()
  private let asked = Atomic<Int>(0)
  private let arrivals = Atomic<Int>(0)
  private let used = Atomic<Int>(0)

  /// Creates a pause for a race of `actors` actors.
  ///
  /// - Parameters:
  ///   - step: the step that follows the pause.
  ///   - time: the timeout of the pause.
  init(before step: Step, of actors: Int, atMost time: Duration) {
    self.step = step
    self.actors = actors
    gate = BoundedGate(bound: time)
  }

  /// The number of actors that used an instance before the instance was set up.
  let halfBuiltUses = Tally()

  /// Records that an actor is about to request the singleton. If the pause precedes the set-up, the method first blocks
  /// every actor except the first until the first actor has published its instance.
  func ask(_ actor: Int) {
    if step == .setUp, actor > 0 { published.pass() }
    if asked.add(1, ordering: .acquiringAndReleasing).newValue == actors { gate.startBound() }
  }

  /// Blocks the calling thread for the duration of the pause.
  func sleep() {
    addArrivals(by: 1)
    gate.pass()
  }

  /// Suspends the calling task for the duration of the pause.
  func slept() async {
    addArrivals(by: 1)
    await gate.passed()
  }

  private func addArrivals(by one: Int) {
    published.open()
    let all = arrivals.add(one, ordering: .acquiringAndReleasing).newValue == actors
    if step == .creation, all { gate.open() }
  }

  /// Records that an actor uses the instance that it received, and whether the instance is set up. Has no effect if the
  /// pause precedes the creation.
  func use(_ manager: PhotoManager?, _ actor: Int) {
    guard step == .setUp else { return }
    published.open()
    if let manager, !manager.hasPhotosArray { halfBuiltUses.add() }
    if actor > 0, used.add(1, ordering: .acquiringAndReleasing).newValue == actors - 1 { gate.open() }
  }
}
