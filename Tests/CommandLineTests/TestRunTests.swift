import LabTesting
import Platform
import TestRun
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that a test run leaves no processes and no files, in whatever way the run ends.
@Suite struct TestRunTests {
  /// A script that begins a separate test run in a process, with a sleeping process and a file that is hard to remove.
  /// The script prints the path of the run's files and the number of the sleeping process.
  private static let begin = """
    mkdir "$TMPDIR/inner" && touch "$TMPDIR/inner/file" && chmod 0 "$TMPDIR/inner"
    echo "$TMPDIR"
    sleep 1000000 >/dev/null 2>&1 &
    echo $!
    """

  #if os(Linux)
    @Test("the end of a killed test process ends the processes that it started and removes its directory")
    func killed() async throws {
      let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
        unsetenv("GCDLAB_TESTS")
        try #require(gcdlab_tests_begin() != nil)
        #expect(system(Self.begin) == 0)
        kill(getpid(), SIGKILL)
      }
      let said = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n")
      let directory = String(try #require(said.first))
      #expect(directory.contains("gcdlab tests-"))
      try await Binary.awaitEnd(of: #require(pid_t(said[1])))
      // The keeper is not a child of this process, so its end is not reported as an event.
      try await until("the directory is removed") { access(directory, F_OK) != 0 }
    }

    @Test("a run removes what earlier runs left, and nothing of a run that continues")
    func left() async throws {
      await #expect(processExitsWith: .success) {
        let place = try #require(getenv("TMPDIR").map { String(cString: $0) }) + "/gcdlab left"
        setenv("TMPDIR", place, 1)
        // The first run has no keeper.
        setenv("GCDLAB_TESTS", "\(place)/gcdlab tests-left", 1)
        #expect(system("mkdir -p \"$GCDLAB_TESTS\"") == 0)
        setenv("TMPDIR", "\(place)/gcdlab tests-left", 1)
        #expect(system("(\(Self.begin)) > \"$TMPDIR/../said\"") == 0)
        let said = try #require(readFile("\(place)/said")).split(separator: "\n")
        // The second run has a keeper, and a third run follows.
        setenv("TMPDIR", place, 1)
        let going = String(cString: try #require(gcdlab_tests_begin()))
        setenv("TMPDIR", place, 1)
        let other = String(cString: try #require(gcdlab_tests_begin()))
        #expect(going != other)
        #expect(namesInDirectory(place)?.count == 3, "\(namesInDirectory(place) ?? [])")
        #expect(access(going, F_OK) == 0 && access(other, F_OK) == 0)
        try await Binary.awaitEnd(of: #require(pid_t(said[1])))
      }
    }
  #endif
}
