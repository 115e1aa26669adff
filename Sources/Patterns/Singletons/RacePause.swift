import Instruments
import Synchronization

/// The pause of an accessor in one race.
///
/// In the accessor of the document "GCD in depth", the pause lasts two seconds. This pause blocks the racers that reach
/// it until the condition of its ``Step`` is met, or until a timeout. The timeout starts when all racers have requested
/// the singleton.
///
/// An unguarded accessor therefore fails even on a slow machine, if the timeout is long enough. A guarded accessor lets
/// only one racer reach the pause, so the pause lasts until the timeout.
final class RacePause: Sendable {
  /// The step of the accessor that follows the pause. The step determines the condition that ends the pause early.
  enum Step: Sendable {
    /// The creation of the instance, which follows the check of the variable. The pause ends when all racers have
    /// reached it.
    case creation
    /// The set-up of the instance, which follows its publication. All racers except the first request the singleton
    /// only during the pause. The pause ends when these racers have used the instance that they received.
    case setUp
  }

  let step: Step
  private let racers: Int
  private let gate: TimedGate
  /// The gate that blocks all racers except the first until the first racer has published its instance.
  private let published = TimedGate()
  private let asked = Atomic<Int>(0)
  private let arrivals = Atomic<Int>(0)
  private let used = Atomic<Int>(0)

  /// Creates a pause for a race of `racers` racers.
  ///
  /// - Parameters:
  ///   - step: the step that follows the pause.
  ///   - time: the timeout of the pause.
  init(before step: Step, of racers: Int, atMost time: Duration) {
    self.step = step
    self.racers = racers
    gate = TimedGate(limit: time)
  }

  /// The number of racers that used an instance before the instance was set up.
  let halfBuiltUses = Tally()

  /// Records that a racer is about to request the singleton. If the pause precedes the set-up, the method first blocks
  /// every racer except the first until the first racer has published its instance.
  func ask(_ racer: Int) {
    if step == .setUp, racer > 0 { published.wait() }
    if asked.add(1, ordering: .acquiringAndReleasing).newValue == racers { gate.startTimeLimit() }
  }

  /// Blocks the calling thread until the condition of ``step`` is met, or until the time limit.
  func wait() {
    addArrivals(by: 1)
    gate.wait()
  }

  /// Suspends the calling task until the condition of ``step`` is met, or until the time limit.
  func wait() async {
    addArrivals(by: 1)
    await gate.wait()
  }

  private func addArrivals(by one: Int) {
    published.open()
    let all = arrivals.add(one, ordering: .acquiringAndReleasing).newValue == racers
    if step == .creation, all { gate.open() }
  }

  /// Records that a racer uses the instance that it received, and whether the instance is set up. Has no effect if the
  /// pause precedes the creation.
  func use(_ manager: PhotoManager?, _ racer: Int) {
    guard step == .setUp else { return }
    published.open()
    if let manager, !manager.hasPhotosArray { halfBuiltUses.add() }
    if racer > 0, used.add(1, ordering: .acquiringAndReleasing).newValue == racers - 1 { gate.open() }
  }
}
