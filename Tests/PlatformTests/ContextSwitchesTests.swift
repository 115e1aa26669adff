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
    #if os(Linux)
      let thread = try #require(ContextSwitches.ofThread { for _ in 0..<5 { usleep(1000) } })
      #expect(thread.voluntary >= 5)
    #endif
  }

  #if os(Linux)
    @Test func `another thread's switches are its own`() async throws {
      let sleeper = try SystemThread { for _ in 0..<50 { usleep(100) } }
      let mine = ContextSwitches.ofThread { sleeper.join() }
      let switches = try #require(mine)
      #expect(switches.voluntary < 50)
    }
  #endif

  @Test func `an error of the body is passed on`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { _ = try ContextSwitches.ofThread { throw Failure() } }
  }
}
