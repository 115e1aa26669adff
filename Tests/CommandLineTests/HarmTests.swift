import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that no input of a user and no state of a system makes the lab hang, lose its results, or modify files of
/// other programs.
@Suite struct HarmTests {
  private static let quick = "scenario fd-semaphore --variant queue-pool --rounds 1 --set tasks=4"
  /// The arguments of a run with short trials that takes far longer than any test.
  private static let long = [
    "scenario", "fd-semaphore", "--variant", "queue-pool", "--rounds", "10000", "--set", "tasks=4",
  ]

  // MARK: Files of other programs

  @Test func `files of other programs are kept, even under the process number of a worker`() async throws {
    // The script creates files for the numbers of all processes that can start soon, in few processes.
    let script = """
      place=$(mktemp -d)
      first=$(sh -c 'echo $$')
      cd "$place"
      seq -f "gcdlab-%.0f" $first $((first + 1000)) | xargs mkdir
      seq -f "gcdlab-%.0f/mine" $first $((first + 1000)) | xargs touch
      TMPDIR="$place" "$0" \(Self.quick) > said
      status=$?
      find . -name mine | wc -l
      rm -r "$place"
      exit $status
      """
    let finished = try await Binary.shell(script)
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(finished.unwrapped == "1001")
  }

  @Test func `a worker whose lab has ended removes the files of its trial`() async throws {
    // The worker receives its request, and then its input ends, as if the lab were killed.
    let request =
      #"{"pattern":"fd-semaphore","variant":"queue-pool","parameters":{},"seed":1,"stepsPerMicrosecond":100,"cores":2,"#
      + #""scratch":"trial"}"#
    let script = """
      place=$(mktemp -d)
      cd "$place" && mkdir -p trial/folder other && touch trial/file trial/folder/file
      echo '\(request)' | TMPDIR="$place" "$0" worker > /dev/null
      ls
      rm -r "$place"
      """
    let finished = try await Binary.shell(script)
    #expect(finished.output == "other\n", "\(finished.errors)")
  }

  // MARK: Signals

  /// The test runs several times, since a thread that does not block the signal, such as a thread of swift-subprocess,
  /// receives the signal in most cases but not in all cases.
  @Test(arguments: 1...5) func `a lab that was stopped and then terminated prints its finished results`(_ attempt: Int)
    async throws
  {
    let lab = try await Binary.start(Self.long)
    _ = try await lab.firstWorker()
    kill(lab.pid, SIGSTOP)
    try await until("the lab is stopped") { readFile("/proc/\(lab.pid)/stat")?.contains(") T ") != false }
    kill(lab.pid, SIGTERM)
    kill(lab.pid, SIGCONT)
    let finished = await lab.finish()
    #expect(finished.status == 143)
    #expect(finished.output.contains("interrupted: results up to then are shown"))
  }

  @Test(arguments: ["scenario", "explain", "smoke", "report", "diff"])
  func `a signal ends the wait for a silent file`(_ command: String) async throws {
    let pipe = try TemporaryFile("pipe.yml")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let lab = try await Binary.start([command, pipe.path] + (command == "diff" ? ["other"] : []))
    // The pipe has a reader as soon as the lab has opened it. From then on, the lab waits for the first byte.
    var writer: Int32 = -1
    try await until("the lab has opened the pipe") {
      writer = open(pipe.path, O_WRONLY | O_NONBLOCK)
      return writer >= 0
    }
    defer { close(writer) }
    kill(lab.pid, SIGTERM)
    let finished = await lab.finish()
    // There are no results to lose, so the signal may kill the lab.
    #expect([143, -Int(SIGTERM)].contains(finished.status))
  }

  @Test func `children are reaped even if the lab inherited an ignored SIGCHLD`() async throws {
    let finished = try await Binary.shell("exec env --ignore-signal=CHLD \"$0\" \(Self.quick)")
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(!finished.output.contains("broken"), "\(finished.output)")
  }

  // MARK: Reading

  @Test(arguments: ["/dev/zero", "/dev/tty", "SOCKET"])
  func `a device or a socket is refused as an input file`(_ path: String) async throws {
    let path = path == "SOCKET" ? try Self.socket() : path
    defer { if path.hasPrefix(ScratchDirectory.parent) { unlink(path) } }
    for command in ["scenario", "explain", "report", "diff --new /etc/hostname --old"] {
      // A lab that never stops reading ends at this limit.
      let finished = try await Binary.shell("ulimit -v 8000000; exec \"$0\" \(command) '\(path)'")
      if finished.errors.hasPrefix("==") { try skip("a sanitizer needs more memory than there is") }
      #expect(finished.status == 64)
      #expect(
        finished.errors.hasPrefix("gcdlab: cannot read \(path), which is not a file or pipe"),
        "\(command): \(finished.errors)")
    }
  }

  private static func socket() throws -> String {
    let path = "\(ScratchDirectory.parent)/gcdlab-test-socket-\(getpid())"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    close(descriptor)
    try #require(status == 0)
    return path
  }

  // MARK: Writing

  @Test func `an export into a pipe without a reader is refused before the run`() async throws {
    let pipe = try TemporaryFile("pipe.json")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let refused = try await Binary.shell("exec \"$0\" \(Self.quick) --export '\(pipe.path)'")
    #expect(refused.status == 64 && refused.output.isEmpty)
    #expect(refused.errors.hasPrefix("gcdlab: --export: cannot write \(pipe.path), which nobody reads: "))
  }

  @Test func `an export into a pipe is complete`() async throws {
    let pipe = try TemporaryFile("pipe.json")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    // A pipe that is opened for reading and writing does not wait, and `cat` reads its end when the lab ends.
    let script = """
      cat '\(pipe.path)' & exec 3>'\(pipe.path)'
      "$0" \(Self.quick) --export '\(pipe.path)' 3>&- > /dev/null
      exec 3>&-
      wait
      """
    let finished = try await Binary.shell(script)
    #expect(try JSONValue(finished.output)["schema"] == .text("gcdlab.result/2"), "\(finished.errors)")
  }

  @Test func `the file of a distribution is written into the export's directory, whatever its name is`() async throws {
    let saved = try TemporaryFile("run.json")
    #expect(try await Binary.shell("exec \"$0\" \(Self.quick) --export '\(saved.path)'").status == 0)
    let elsewhere = try TemporaryFile("elsewhere")
    let document = try #require(readFile(saved.path))
    let traversal = "../../../../../../../../..\(elsewhere.path)"
    try OutputFile(saved.path).write(document.replacing("queue-pool", with: traversal))
    let place = try TemporaryFile("x.hgrm")
    // There are two documents, so that each file has a generated name.
    let finished = try await Binary.run(["report", saved.path, saved.path, "--export", place.path])
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(elsewhere.neighbours.isEmpty && !place.neighbours.isEmpty)
  }

  // MARK: Text from outside

  @Test func `hidden characters in an argument are escaped in the error`() async throws {
    let hostile = "\u{1b}[2J\ngcdlab: FORGED"
    for arguments in [
      ["scenario", "x\(hostile).yml"], ["report", hostile], ["explain", hostile], ["watch", "/no/such/\(hostile)"],
      ["scenario", "fd-semaphore", "--set", hostile], ["list", "--\u{1b}[2J"],
    ] {
      let refused = try await Binary.run(arguments)
      #expect(refused.status == 64 && refused.output.isEmpty)
      #expect(!refused.errors.contains("\u{1b}") && refused.errors.contains("\\u{1b}[2J"), "\(refused.errors)")
      #expect(!refused.errors.split(separator: "\n").contains("gcdlab: FORGED"), "\(refused.errors)")
    }
  }

  @Test func `hidden characters in a scenario file are escaped in the error`() async throws {
    let file = try TemporaryFile("x.yml", "scenario: x\npattern: \"fd\\e[2J\\nFORGED\"\n")
    let refused = try await Binary.run(["scenario", file.path])
    #expect(refused.status == 64)
    #expect(refused.errors.contains("fd\\u{1b}[2J\\nFORGED"), "\(refused.errors)")
  }

  @Test func `a line break in a file name cannot forge a line in the output of watch`() async throws {
    let forged = "x\n   0.000 s  deleted   passwords"
    let file = try TemporaryFile(forged)
    let directory = file.path.dropLast(forged.count)
    let finished = try await Binary.converse(
      ["watch", String(directory), "--count", "1"], until: "gcdlab: watching \(directory); Ctrl-C ends it"
    ) { _ in try OutputFile(file.path).write("") }
    #expect(finished.output.split(separator: "\n").count == 1, "\(finished.output)")
    #expect(finished.output.contains("x\\n   0.000 s  deleted   passwords"))
  }

  @Test func `a signal ends watch even if nobody reads its output`() async throws {
    // The numbers of write, poll and ppoll.
    #if arch(x86_64)
      let calls = "1|7|271"
    #elseif arch(arm64)
      let calls = "64|73"
    #else
      let calls = ""
    #endif
    if calls.isEmpty { try skip("the numbers of this processor's system calls are not known here") }
    try await Binary.require("cat /proc/self/syscall")
    // The pipe is full from the start, so that the first line waits.
    let pipe = try TemporaryFile("pipe"), file = try TemporaryFile("a", "one")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    let reader = open(pipe.path, O_RDONLY | O_NONBLOCK), writer = open(pipe.path, O_WRONLY | O_NONBLOCK)
    defer { for descriptor in [reader, writer] { close(descriptor) } }
    while write(writer, "full", 4) > 0 {}
    // The lab ends when its standard input, which is that of `sh`, ends. The shell prints the status.
    let script = """
      exec 3>&2
      "$0" watch '\(file.path)' > '\(pipe.path)' 2> '\(pipe.path).errors' &
      until grep -q Ctrl-C '\(pipe.path).errors'; do kill -0 $! || exit; done
      echo two >> '\(file.path)'
      # It waits in its last call, to write or to see whether it may.
      until grep -qE '^(\(calls)) ' /proc/$!/task/*/syscall; do kill -0 $! || exit; done
      kill -TERM $!
      wait $!
      """
    #expect(try await Binary.shell(script).status == 143)
  }

  // MARK: Places

  @Test func `an output file that is named twice is refused`() async throws {
    let saved = try TemporaryFile("run.json")
    #expect(try await Binary.shell("exec \"$0\" \(Self.quick) --export '\(saved.path)'").status == 0)
    let place = try TemporaryFile("k.json", "before")
    let directory = place.path.dropLast("k.json".count)
    try #require(symlink("k.json", "\(directory)l.json") == 0 && link(place.path, "\(directory)h.json") == 0)
    for (arguments, option) in [
      ("smoke fd-semaphore --junit k.json --export k.json", "--junit"),
      ("smoke fd-semaphore --junit n.xml --export ./n.xml", "--junit"),
      ("report '\(saved.path)' --html p --export p.html --export ././p.html", "--export"),
      ("report '\(saved.path)' --html p.html --export p.html", "--html"),
      ("report '\(saved.path)' --export k.json --export ./k.json", "--export"),
      ("report '\(saved.path)' --export k.json --export l.json", "--export"),
      ("report '\(saved.path)' --export k.json --export h.json", "--export"),
      ("report --side-by-side '\(saved.path)' '\(saved.path)' --export x.md --export ./x.md", "--export"),
      ("report --side-by-side '\(saved.path)' '\(saved.path)' --html p.html --export p.html", "--html"),
    ] {
      let refused = try await Binary.shell("cd '\(directory)' && exec \"$0\" \(arguments)")
      #expect(refused.status == 64 && refused.errors.contains("is the same file as"), "\(arguments): \(refused.errors)")
      #expect(refused.errors.hasPrefix("gcdlab: \(option): "), "\(refused.errors)")
    }
    #expect(readFile(place.path) == "before" && place.neighbours == ["h.json", "k.json", "l.json"])
    // A device accepts any output.
    let twice = ["--html", "/dev/null", "--html", "/dev/null"]
    #expect(try await Binary.run(["report", saved.path] + twice).status == 0)
  }

  @Test func `the lines of a report are bounded if the terminal's width is absurd`() async throws {
    let saved = try TemporaryFile("run.json")
    #expect(try await Binary.shell("exec \"$0\" \(Self.quick) --export '\(saved.path)'").status == 0)
    let shown = try await Binary.shell("COLUMNS=2147483648 exec \"$0\" report '\(saved.path)'")
    #expect(shown.status == 0 && shown.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 40_000 })
  }

  @Test func `a file that is too large is not read`() async throws {
    let large = try TemporaryFile("large.json", "[")
    try #require(truncate(large.path, 24 << 20 + 1) == 0)
    let refused = try await Binary.run(["report", large.path])
    #expect(refused.status == 64)
    #expect(
      refused.errors
        == "gcdlab: \(large.path): larger than 24 MiB, so not one result document; several documents need a file each\n"
    )
  }

  @Test func `a byte order mark in a scenario file is ignored`() async throws {
    let file = try TemporaryFile("x.yml", "\u{feff}scenario: x\npattern: fd-semaphore\ntitle: t\nsource: s\n")
    let finished = try await Binary.run(["explain", file.path])
    #expect(finished.status == 0 && finished.output.hasPrefix("x  t\n"), "\(finished.errors)")
  }
}
