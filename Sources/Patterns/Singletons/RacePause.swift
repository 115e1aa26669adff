import Instruments
import Synchronization

/// The document's pause, in one race: it holds who comes to it until it has shown what it can show, or until its time
/// is up, which begins when all have asked for the singleton.
///
/// So an unguarded accessor fails for sure, however slow the machine is, and a guarded one, whose other callers cannot
/// come by, costs the pause's time.
final class RacePause: Sendable {
  /// Where in the accessor it stands, and so what ends it early.
  enum Place: Sendable {
    /// Between check and creation: until all actors have checked and come to it.
    case creation
    /// Between publication and set-up: the others ask only now, and it lasts until they have used what they got.
    case setUp
  }

  let place: Place
  private let actors: Int
  private let gate: BoundedGate
  /// Where the others wait until the first one has published.
  private let published = BoundedGate()
  private let asked = Atomic<Int>(0)
  private let come = Atomic<Int>(0)
  private let used = Atomic<Int>(0)
  private let halfBuilt = Atomic<Int>(0)

  /// A pause in a race of `actors`.
  init(before place: Place, of actors: Int, atMost time: Duration) {
    self.place = place
    self.actors = actors
    gate = BoundedGate(bound: time)
  }

  /// How many used an instance that was not set up.
  var halfBuiltUses: Int { halfBuilt.load(ordering: .relaxed) }

  /// An actor is about to ask for the singleton.
  func ask(_ actor: Int) {
    if place == .setUp, actor > 0 { published.pass() }
    if asked.add(1, ordering: .acquiringAndReleasing).newValue == actors { gate.restHasFinished() }
  }

  /// The pause, in the accessor.
  func sleep() {
    come(by: 1)
    gate.pass()
  }

  /// The same for an accessor that awaits.
  func slept() async {
    come(by: 1)
    await gate.passed()
  }

  private func come(by one: Int) {
    published.open()
    let all = come.add(one, ordering: .acquiringAndReleasing).newValue == actors
    if place == .creation, all { gate.open() }
  }

  /// An actor uses what it got.
  func use(_ manager: PhotoManager?, _ actor: Int) {
    guard place == .setUp else { return }
    published.open()
    if let manager, !manager.hasPhotosArray { halfBuilt.add(1, ordering: .relaxed) }
    if actor > 0, used.add(1, ordering: .acquiringAndReleasing).newValue == actors - 1 { gate.open() }
  }
}
