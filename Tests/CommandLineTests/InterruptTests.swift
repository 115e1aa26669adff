import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of signals to the lab: no process or file remains, and finished results are printed.
@Suite struct InterruptTests {
  /// The arguments of a run that takes far longer than any test on a slow machine: the lab must not end before the test
  /// observes it.
  private static let long = [
    "scenario", "singleton-race", "--variant", "mutex", "--set", "race-time=10s", "--rounds", "10000",
  ]

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)])
  func `a signal to the lab ends the worker, and the report mentions the interrupt`(_ signal: Int32, _ status: Int)
    async throws
  {
    let lab = try await Binary.start(Self.long)
    let worker = try await lab.firstWorker()
    kill(lab.pid, signal)
    let finished = await lab.finish()
    #expect(finished.status == status)
    #expect(finished.output.contains("interrupted: results up to then are shown"))
    try await Binary.awaitEnd(of: worker)
  }

  @Test func `a worker ends when its lab is killed`() async throws {
    let lab = try await Binary.start(Self.long)
    let worker = try await lab.firstWorker()
    kill(lab.pid, SIGKILL)
    let finished = await lab.finish()
    #expect(finished.status == -Int(SIGKILL))
    try await Binary.awaitEnd(of: worker)
  }

  @Test func `the second signal ends the lab at once, and the trial's files are still removed`() async throws {
    let finished = try await Binary.shell(
      """
      for round in 1 2 3 4 5; do
        place=$(mktemp -d)
        TMPDIR="$place" "$0" scenario file-monitor --rounds 10000 >/dev/null 2>&1 &
        while [ -z "$(ls -A "$place")" ]; do :; done
        kill -STOP $!; kill -HUP $!; kill -TERM $!; kill -CONT $!; wait $!
        echo "$? $(ls -A "$place")"
        rm -r "$place"
      done
      """)
    let lines = finished.output.split(separator: "\n")
    // The status is that of the first signal if the lab ended before the second.
    #expect(lines.count == 5 && lines.allSatisfy { ["143 ", "129 "].contains($0) }, "\(finished)")
  }

  /// `timeout` sends its signal twice: to the lab, and to the lab's process group.
  @Test func `two copies of one signal at once count as one signal`() async throws {
    let file = try TemporaryFile("x.json")
    let finished = try await Binary.shell(
      """
      for round in 1 2 3 4 5; do
        rm -f '\(file.path)'
        "$0" scenario singleton-race --variant mutex --rounds 10000 --set race-time=1ms --export '\(file.path)' >/dev/null 2>&1 &
        until [ -n "$(cat /proc/$!/task/*/children 2>/dev/null)" ]; do :; done
        kill -STOP $!; kill -TERM $!; kill -CONT $!; kill -TERM $!; kill -TERM $!; wait $!
        echo "$? $(grep -c '"interrupted" *: *true' '\(file.path)')"
      done
      """)
    #expect(finished.output == String(repeating: "143 1\n", count: 5), "\(finished)")
  }

  @Test func `a signal ends watch`() async throws {
    let file = try TemporaryFile("notes.txt", "one")
    let finished = try await Binary.converse(
      ["watch", file.path], until: "gcdlab: watching \(file.path); Ctrl-C ends it"
    ) { pid in kill(pid, SIGINT) }
    #expect(finished.status == 130)
    #expect(finished.errors.hasSuffix("gcdlab: 0 changes seen\n"))
  }
}
