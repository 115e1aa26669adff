import Testing

@testable import Laboratory

@Suite struct WatchdogTests {
  @Test func `no single wait is the whole time, and all of them are`() {
    var patience = Patience(.seconds(32))
    var waits = 1
    while !patience.spend(patience.slice) { waits += 1 }
    #expect(waits > 1 && patience.slice * waits == .seconds(32))
  }

  @Test func `it can begin anew`() {
    var patience = Patience(.seconds(32))
    let isOver = patience.spend(.seconds(31))
    patience.renew()
    let isOverThen = patience.spend(.seconds(31))
    #expect(!isOver && !isOverThen)
  }
}
