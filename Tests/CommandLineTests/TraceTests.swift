import Testing

/// Tests of `gcdlab trace` in a dynamically linked build, such as that of the tests. The build records the core on
/// which each thread ran, and reports the events that it cannot record.
@Suite struct TraceTests {
  @Test func `trace draws a picture of each setting of a variant`() async throws {
    let finished = try await Binary.run(["trace", "apply-stride", "--variant", "apply", "--set", "stride=1,64"])
    #expect(finished.status == 0)
    for words in [
      "apply-stride apply[stride=1]", "apply-stride apply[stride=64]", "caller", "make build", "settings: iterations ",
    ] {
      #expect(finished.output.contains(words), "\(words)")
    }
    #expect(finished.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `a trace without a recorded trial has the status of a machine error`() async throws {
    let finished = try await Binary.run(["trace", "apply-stride", "--cores", "4096"])
    #expect(finished.status == 2)
    #expect(finished.errors.hasPrefix("gcdlab: nothing was recorded: unavailable: 4096 cores are requested"))
  }

  @Test func `trace without a variant draws the first variant and names the other variants`() async throws {
    let finished = try await Binary.run(["trace", "apply-stride", "--set", "iterations=1000"])
    #expect(finished.status == 0)
    #expect(finished.output.contains("apply-stride apply"))
    #expect(!finished.output.contains("apply-stride serial-loop\n"))
    #expect(finished.output.contains("other variants (--variant): "))
  }

  @Test func `the picture of a trial that traps names the signal`() async throws {
    let finished = try await Binary.run(["trace", "queue-deadlock", "--variant", "sync-on-own-queue"])
    #expect(finished.status == 0)
    #expect(finished.output.contains("trapped: SIGILL"))
    #expect(finished.output.contains("caller"))
  }

  @Test func `the option --check prints a line for each rule of a trace`() async throws {
    let finished = try await Binary.run(["trace", "apply-stride", "--variant", "serial-loop", "--check"])
    #expect(finished.status == 0, "\(finished.output)")
    #expect(finished.output.contains("kept        no event was lost"))
    #expect(finished.output.contains("not judged  no two blocks of a serial queue overlap"))
  }

  @Test(arguments: [
    (["trace", "apply-strid"], "did you mean 'apply-stride'?"),
    (["trace", "apply-stride", "--variant", "aply"], "did you mean 'apply'?"),
    (["trace", "apply-stride", "--set", "stride=0"], "stride: 0 is out of range"),
    (["trace", "apply-stride", "--from", "5ms", "--to", "2ms"], "--to: found 2ms"),
    (["trace", "apply-stride", "--from", "soon"], "--from"), (["trace"], "--all"),
    (["trace", "apply-stride", "--all"], "--all"),
  ])
  func `bad input is refused`(_ arguments: [String], _ words: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.status == 64)
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains(words), "\(finished.errors)")
  }
}
