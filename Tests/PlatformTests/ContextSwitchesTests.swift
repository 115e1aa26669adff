import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ContextSwitchesTests {
  @Test func `each sleep of a thread is a voluntary context switch`() throws {
    let process = try #require(ContextSwitches.ofProcess { for _ in 0..<5 { usleep(1000) } })
    #expect(process.voluntary >= 5)
  }

  @Test func `an error that the body throws is rethrown`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { _ = try ContextSwitches.ofProcess { throw Failure() } }
  }
}
