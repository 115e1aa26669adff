import Testing

@testable import Laboratory

@Suite struct WatchdogTests {
  @Test func `no single wait is the whole time, and all of them are`() {
    var waits: [Duration] = []
    let hasPassed = Watchdog.passes(.seconds(32)) {
      waits.append($0)
      return false
    }
    #expect(hasPassed && waits.reduce(.zero, +) == .seconds(32) && waits.count > 1)
    #expect(Set(waits).count == 1)
  }

  @Test func `it ends with the first wait that is ended`() {
    var waits = 0
    let hasPassed = Watchdog.passes(.seconds(32)) { _ in
      waits += 1
      return waits == 2
    }
    #expect(!hasPassed && waits == 2)
  }
}
