import Synchronization
import Testing

@testable import Laboratory

@Suite struct SleepAwakeTests {
  /// A clock that tells how long was slept, and on which an hour passes during the first sleep.
  private final class DisturbedClock: Clock {
    let state = Mutex((now: Duration.zero, slept: Duration.zero))

    struct Instant: InstantProtocol {
      let offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now: Instant { state.withLock { Instant(offset: $0.now) } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      state.withLock {
        let gap: Duration = $0.slept == .zero ? .seconds(3600) : .zero
        $0.slept += max(.zero, deadline.offset - $0.now)
        $0.now = deadline.offset + gap
      }
    }
  }

  @Test func `a gap counts for no more than the slice it fell into`() async throws {
    let clock = DisturbedClock()
    try await clock.sleepAwake(for: .seconds(32))
    #expect(clock.state.withLock { $0.slept } == .seconds(32))
  }
}
