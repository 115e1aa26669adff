import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Binary {
  /// Skips the test if a required shell command fails.
  static func require(_ command: String) async throws {
    if try await shell(command).status != 0 { try skip("not possible here: \(command)") }
  }
}

/// Tests of the lab on machines that are set up differently from its authors' machines.
@Suite struct SurroundingsTests {
  @Test func `every command reports that the proc file system is missing`() async throws {
    let prefix = "unshare -m sh -c 'mount -t tmpfs none /proc &&"
    try await Binary.require("\(prefix) true'")
    for command in ["--version", "list", "scenario singleton-race", "worker"] {
      let finished = try await Binary.shell("\(prefix) exec \"$0\" \(command)' \"$0\"")
      if finished.errors.hasPrefix("==") { try skip("a sanitizer needs /proc itself") }
      #expect(finished.status == 2 && finished.output.isEmpty)
      #expect(
        finished.errors
          == "gcdlab: required files of the system are missing: /proc is not mounted, or is empty\n")
    }
  }

  /// The lab's file is replaced, as by an upgrade or a build: after the first worker has started, another program is at
  /// its path.
  @Test func `trials do not use a binary that replaced the lab during the run`() async throws {
    let script = """
      lab=$(mktemp -d) && cd "$lab" && cp "$0" gcdlab
      "$lab/gcdlab" scenario fd-semaphore signal-source process-monitor --quick --rounds 1 > said 2>&1 &
      until [ -n "$(cat /proc/$!/task/*/children 2> /dev/null)" ]; do kill -0 $! || break; done
      cp /bin/false next && mv next gcdlab && kill -0 $! && echo replaced
      wait $!
      cat said
      rm -r "$lab"
      """
    let said = try await Binary.shell(script).unwrapped
    #expect(said.hasPrefix("replaced "), "the run was over: \(said)")
    // The run reached the last scenario.
    #expect(said.contains("process-monitor") && said.contains("signal-source"), "\(said)")
    for word in ["violated", "broken", "hung", "cannot start", "cannot open"] {
      #expect(!said.contains("✗ \(word)") && !said.contains("\(word):"), "\(said)")
    }
  }

  @Test func `a run without permission to raise priorities passes and mentions what it leaves out`() async throws {
    if getpriority(0, 0) != 0 { try skip("the tests run with a nice value, below which nothing is told apart") }
    let isRoot = geteuid() == 0
    if isRoot { try await Binary.require("setpriv --reuid=64123 --clear-groups true") }
    let user = isRoot ? "setpriv --reuid=$((100000 + $$)) --clear-groups" : ""
    let script = """
      lab=$(mktemp -d) && cd "$lab" && cp "$0" gcdlab && chmod 777 "$lab"
      TMPDIR="$lab" \(user) ./gcdlab smoke queue-priority --export x.json
      status=$?
      cat x.json
      rm -r "$lab"
      exit $status
      """
    let finished = try await Binary.shell(script)
    if !isRoot, SystemThread.canRaisePriority { try skip("this user may raise priorities") }
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(finished.output.contains("no permission to lower nice values"), "\(finished.output)")
  }

  /// In the namespace, the monotonic clock is a day ahead of the kernel's own clock, which the scheduler's records use.
  @Test func `a trace in a time namespace keeps every rule`() async throws {
    let prefix = "unshare -T --fork --monotonic=86400 --boottime=86400"
    try await Binary.require("\(prefix) true")
    let finished = try await Binary.shell(
      "\(prefix) \"$0\" trace apply-stride --variant serial-loop --check")
    #expect(finished.status == 0 && !finished.output.contains("broken"), "\(finished.output)\(finished.errors)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)])
  func `a trace that is interrupted in its first trial ends with the status of the signal`(
    _ signal: Int32, _ status: Int
  ) async throws {
    // The trial takes hours, since other tests may delay this one for minutes.
    let lab = try await Binary.start([
      "trace", "apply-stride", "--variant", "serial-loop", "--set", "work=500ms", "--set", "iterations=100000",
    ])
    let worker = try await lab.firstWorker()
    kill(lab.pid, signal)
    let finished = await lab.finish()
    #expect(finished.status == status)
    // The record up to the signal is drawn, if there is one.
    #expect(finished.output.isEmpty || finished.output.contains("interrupted"), "\(finished.output)")
    try await Binary.awaitEnd(of: worker)
  }
}
