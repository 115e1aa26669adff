import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ContextSwitchesTests {
  @Test func `a thread gives its core away each time it sleeps`() throws {
    let process = try #require(ContextSwitches.ofProcess { for _ in 0..<5 { usleep(1000) } })
    #expect(process.voluntary >= 5)
  }

  @Test func `an error of the body is passed on`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { _ = try ContextSwitches.ofProcess { throw Failure() } }
  }
}
