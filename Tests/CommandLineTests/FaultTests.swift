import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that faults of the machine cause a clear error or fewer results, and never a trap of the lab itself.
@Suite struct FaultTests {
  private static let run = "scenario singleton-race --variant mutex --rounds 1 --set race-time=1ms"

  private func require(_ command: String) async throws { try await Binary.require(command) }

  @Test func `a full device is reported, and an export to a device is refused`() async throws {
    let printed = try await Binary.shell("\"$0\" \(Self.run) > /dev/full")
    #expect(printed.status == 2 && printed.errors == "gcdlab: cannot write: No space left on device\n")
    let exported = try await Binary.shell("\"$0\" \(Self.run) --export /dev/full 2>&1")
    #expect(exported.status == 64 && exported.output.contains("no format for"))
  }

  @Test func `a failed export does not prevent the other exports`() async throws {
    let mount = "mount -t tmpfs -o size=4k,nr_inodes=100 none"
    try await require("unshare -m sh -c '\(mount) /mnt'")
    let file = try TemporaryFile("x.csv")
    let full = "head -c 4096 /dev/zero > /mnt/full"
    let files = "--export /mnt/x.json --export \"\(file.path)\" --export /mnt/x.md"
    let lab = "exec \"$0\" \(Self.run) \(files)"
    let finished = try await Binary.shell("unshare -m sh -c '\(mount) /mnt && \(full) && \(lab)' \"$0\"")
    #expect(finished.status == 2)
    let told = ["md", "json"].map { "gcdlab: cannot write /mnt/x.\($0): No space left on device\n" }
    #expect(finished.errors == told.joined())
    #expect(finished.output.contains("held"), "\(finished.output)")
    #expect(readFile(file.path)?.contains("mutex") == true)
  }

  @Test func `results that cannot be printed are still exported`() async throws {
    for command in [Self.run, "smoke --only singleton-race"] {
      let file = try TemporaryFile("x.json")
      let finished = try await Binary.shell("\"$0\" \(command) --export '\(file.path)' > /dev/full")
      #expect(finished.status == 2 && finished.errors == "gcdlab: cannot write: No space left on device\n")
      #expect(readFile(file.path)?.contains("\"completed\"") == true)
    }
  }

  /// The lab's file is replaced during a run, as by a new build: after its first worker has started, another program is
  /// at its path.
  @Test(arguments: ["rm gcdlab", "cp /bin/false next && mv next gcdlab"])
  func `workers run the binary with which the lab started, even if its file is replaced`(_ change: String) async throws
  {
    let script = """
      lab=$(mktemp -d) && cd "$lab" && cp "$0" gcdlab
      "$lab/gcdlab" scenario singleton-race --variant mutex --rounds 5 --set race-time=300ms --export x.json &
      until [ -n "$(cat /proc/$!/task/*/children 2> /dev/null)" ]; do kill -0 $! || break; done
      \(change)
      wait $!
      status=$?
      grep -c '"completed" *: *5' x.json
      rm -r "$lab"
      exit $status
      """
    let finished = try await Binary.shell(script)
    #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)")
    #expect(finished.unwrapped.hasSuffix(" 1"), "\(finished.output)")
  }

  @Test(arguments: ["--version", "list", "explain apply-stride", "machine", Self.run])
  func `output that cannot be printed is reported`(_ command: String) async throws {
    for (redirection, reason) in [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
      let finished = try await Binary.shell("exec \"$0\" \(command) \(redirection)")
      #expect(finished.status == 2 && finished.errors == "gcdlab: cannot write: \(reason)\n", "\(finished.errors)")
    }
    // Output to a closed stream must not be written into a file that was opened under the stream's number.
    let silent = try await Binary.shell("exec \"$0\" \(command) <&- 2>&-")
    #expect(silent.status == 0 && !silent.output.isEmpty)
  }

  /// Setting the limit fails at once, or in the middle of a trial.
  @Test(arguments: [0, 1])
  func `a file monitor has no verdict if the file cannot be changed`(_ blocks: Int) async throws {
    try await require("ulimit -f \(blocks); \"$0\" --version")
    let scenario = "scenario file-monitor --variant source --rounds 1 --set changes=2000 --set poll-interval=0"
    let finished = try await Binary.shell("ulimit -f \(blocks); exec \"$0\" \(scenario)")
    try expectUnavailable(finished, "File too large")
  }

  @Test func `a file monitor has no verdict if the scratch directory is full`() async throws {
    let mount = "mount -t tmpfs -o size=4k,nr_inodes=100 none /mnt && head -c 4096 /dev/zero > /mnt/full"
    try await require("unshare -m sh -c '\(mount) && TMPDIR=/mnt \"$0\" --version' \"$0\"")
    let lab = "TMPDIR=/mnt exec \"$0\" scenario file-monitor --quick --rounds 1"
    let finished = try await Binary.shell("unshare -m sh -c '\(mount) && \(lab)' \"$0\"")
    try expectUnavailable(finished, "No space left on device")
  }

  private func expectUnavailable(_ finished: Binary.Finished, _ reason: String) throws {
    if finished.errors.contains("Sanitizer:DEADLYSIGNAL") { try skip("a sanitizer writes a file itself") }
    // A run in which no claim was judged does not pass.
    #expect(finished.status == 2 && finished.errors.contains("no claim could be judged"), "\(finished.errors)")
    let said = finished.unwrapped
    #expect(said.contains("unavailable: cannot write") && said.contains(reason), "\(finished.output)")
    #expect(!said.contains("violated") && !said.contains("hung"))
  }

  @Test func `a closed pipe ends the lab silently`() async throws {
    let closed = try await Binary.shell("{ \"$0\" \(Self.run) --format json; echo $? >&2; } | head -c 1 > /dev/null")
    #expect(["141\n", "0\n"].contains(closed.errors), "\(closed.errors)")
  }

  @Test(arguments: ["/proc/x.json", "/sys/x.json", "/no/such/x.json", "/dev/null/x.json"])
  func `an export path that cannot be written is refused before the run`(_ path: String) async throws {
    let refused = try await Binary.shell("\"$0\" \(Self.run) --export '\(path)'")
    #expect(refused.status == 64 && refused.output.isEmpty)
    #expect(refused.errors.hasPrefix("gcdlab: --export: cannot write \(path): "), "\(refused.errors)")
  }

  @Test(arguments: [3, 4, 8, 16, 32])
  func `a lack of descriptors is reported and does not trap the lab`(_ limit: Int) async throws {
    for command in [Self.run, "smoke", "list", "machine", "watch /tmp --for 1ms", "compare apply-stride stride=1,2"] {
      let finished = try await Binary.shell("ulimit -n \(limit); \"$0\" \(command)")
      // With 3 descriptors, even the shell may not be able to start a program.
      #expect([0, 2, 64, 126, 127].contains(finished.status), "\(command): \(finished.status) \(finished.errors)")
      if finished.status == 2 { #expect(finished.errors.hasPrefix("gcdlab: "), "\(finished.errors)") }
    }
  }

  @Test(arguments: ["instances", "watches"])
  func `a variant is unavailable if inotify is exhausted, and watch names the limit`(_ what: String) async throws {
    // A user namespace has its own limits.
    let limit = "echo 0 > /proc/sys/user/max_inotify_\(what)"
    try await require("unshare -Ur sh -c '\(limit)'")
    let prefix = "unshare -Ur sh -c '\(limit) && exec \"$0\""
    let watch = try await Binary.shell("\(prefix) watch /tmp --for 1ms' \"$0\"")
    #expect(watch.status == 2)
    #expect(watch.errors.contains("fs.inotify.max_user_\(what)"), "\(watch.errors)")
    let scenario = try await Binary.shell("\(prefix) scenario file-monitor --quick --rounds 1' \"$0\"")
    #expect(scenario.status == 2 && scenario.errors.contains("not judged: file-monitor"), "\(scenario.errors)")
    #expect(scenario.output.contains("unavailable: ") && scenario.output.contains("max_user_\(what)"))
  }

  /// Runs the lab and its workers with `functions`, in C, which replace the system's functions.
  private func lab(
    _ arguments: String, replacing functions: String, with prefix: String = "exec"
  ) async throws -> Binary.Finished {
    try await require("command -v clang")  // It comes with Swift, as a rule.
    let source = try TemporaryFile("replaced.c", "#define _GNU_SOURCE\n" + functions)
    // LD_PRELOAD ends a path at a space.
    let directory = source.path.dropLast("replaced.c".count)
    let run = "LD_PRELOAD=./replaced.so \(prefix) \"$0\" \(arguments)"
    return try await Binary.shell("cd '\(directory)' && clang -shared -fPIC -o replaced.so replaced.c && \(run)")
  }

  @Test func `threads that share one core do not fail a claim on their race`() async throws {
    // All racers share one core, without the lab's knowledge. A duplicate is then very rare.
    let arguments = "scenario singleton-race --variant check-then-act --quick --rounds 2 --set patience=100ms"
    let finished = try await lab(
      arguments,
      replacing: """
        #include <errno.h>
        #include <sched.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *cores) { errno = EPERM; return -1; }
        int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *cores) {
          cpu_set_t one;
          CPU_ZERO(&one);
          CPU_SET(0, &one);
          syscall(SYS_sched_setaffinity, 0, sizeof one, &one);
          CPU_ZERO(cores);
          CPU_SET(0, cores);
          CPU_SET(1, cores);
          return 0;
        }
        """)
    #expect([0, 2].contains(finished.status), "\(finished.errors)")
    let said = finished.unwrapped
    let reason = "not every racer had its own core: cannot bind a thread to a core: Operation not permitted"
    // One racer may nevertheless lose the core to the other within the check.
    #expect(said.contains(reason) || said.contains("✓ witnessed"), "\(finished.output)")
    #expect(!said.contains("not-witnessed"), "\(finished.output)")
  }

  @Test func `the cost of a slow clock is measured, and figures near it are marked`() async throws {
    // A read of the clock takes some tens of microseconds.
    let finished = try await lab(
      "\(Self.run) --set batch=10",
      replacing: """
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
          for (int read = 0; read < 100; read++) syscall(SYS_clock_gettime, clock, time);
          return 0;
        }
        """)
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(finished.output.contains("held"))
    let words = finished.unwrapped
    #expect(words.contains(/the empty timing loop costs: \d+(\.\d+)? us/), "\(finished.output)")
    #expect(words.contains(/mutex [^~]*~/), "\(finished.output)")
  }

  @Test(arguments: [1, 5, 20, 40])
  func `the lab does not trap in a narrow terminal`(_ columns: Int) async throws {
    for command in ["list", "explain apply-stride", Self.run, "machine"] {
      let finished = try await Binary.shell("COLUMNS=\(columns) \"$0\" \(command)")
      #expect(finished.status == 0 && !finished.output.isEmpty, "\(command)")
    }
  }

  @Test(arguments: [
    "env -u TERM",
    "env -i PATH=\"$PATH\" TSAN_OPTIONS=\"$TSAN_OPTIONS\"", "env TERM=nonsense", "env COLUMNS=x", "env COLUMNS=-3",
  ])
  func `the lab does not trap in an unusual environment`(_ environment: String) async throws {
    let finished = try await Binary.shell("\(environment) \"$0\" \(Self.run)")
    #expect(finished.status == 0, "\(finished.errors)")
    #expect(!finished.output.contains("\u{1b}["))
  }

  @Test func `an unusable directory for temporary files is reported at once`() async throws {
    let long = String(repeating: "/.", count: 2000)
    for (place, reason) in [
      ("/no/such", "No such file or directory"), ("/dev/null", "Not a directory"),
      ("/tmp\(long)", "File name too long"),
    ] {
      for command in ["smoke", "scenario group-adapter", "compare apply-stride stride=1,2"] {
        let refused = try await Binary.shell("TMPDIR=\(place) \"$0\" \(command)")
        #expect(refused.status == 64 && refused.output.isEmpty, "\(refused.output)")
        #expect(refused.errors.hasSuffix("for the files of trials (TMPDIR): \(reason)\n"), "\(refused.errors)")
      }
      // A command that creates no files does not require the directory.
      #expect(try await Binary.shell("TMPDIR=\(place) \"$0\" list").status == 0)
    }
  }

  @Test(arguments: ["list", "--version", "scenario singleton-race --rounds 1", "worker"])
  func `a stack that is too small is reported`(_ command: String) async throws {
    try await require("sh -c 'ulimit -s 64'")
    let refused = try await Binary.shell("ulimit -s 64; exec \"$0\" \(command)")
    if refused.errors.contains("Sanitizer") || refused.errors.isEmpty {
      try skip("a sanitizer needs more itself")
    }
    #expect(refused.status == 2, "\(refused.errors)")
    #expect(
      refused.errors
        == "gcdlab: a stack of 512 KiB is needed, the limit is 64 KiB; raise it with: ulimit -s 8192\n")
  }

  @Test func `help that cannot be printed is reported`() async throws {
    for command in ["help", "--help", "help smoke", "smoke --help"] {
      let full = try await Binary.shell("\"$0\" \(command) > /dev/full")
      #expect(full.status == 2 && full.errors == "gcdlab: cannot write: No space left on device\n", "\(full)")
      let printed = try await Binary.shell("\"$0\" \(command)")
      #expect(printed.status == 0 && printed.output.contains("USAGE: gcdlab") && printed.errors.isEmpty)
    }
  }

  @Test(arguments: ["seed: -1", "parameters: {seed: -1}", "parameters: {batch: -1}"])
  func `a negative number in a scenario file is refused with its place`(_ line: String) async throws {
    let file = try TemporaryFile(
      "mine.yml", "scenario: mine\npattern: singleton-race\ntitle: t\nsource: s\nvariants: [mutex]\n\(line)\n")
    let refused = try await Binary.run(["scenario", file.path])
    #expect(refused.status == 64 && refused.errors.hasPrefix("gcdlab: \(file.path):6: "), "\(refused.errors)")
  }

  /// The disk is full, or the size of files is limited.
  @Test(arguments: [
    ("ulimit -f 100", "File too large"),
    ("mount -t tmpfs -o size=64k none /mnt && export TMPDIR=/mnt", "No space left on device"),
  ])
  func `claims on a writer are not judged if the disk is full`(_ limit: String, _ reason: String) async throws {
    try await require("unshare -m sh -c '\(limit)'")
    let finished = try await Binary.shell(
      "unshare -m sh -c '\(limit) && exec \"$0\" scenario descriptor-write --quick --rounds 1' \"$0\"")
    if finished.errors.contains("Sanitizer:DEADLYSIGNAL") { try skip("a sanitizer writes a file itself") }
    let said = finished.unwrapped
    #expect(finished.status == 2 && finished.errors.contains("not judged: descriptor-write"), "\(finished.errors)")
    #expect(
      !said.contains("violated") && !said.contains("broken") && said.contains("[kind=file]"), "\(finished.output)")
    #expect(said.contains(reason) || said.contains("no more space is available"), "\(finished.output)")
  }

  /// Three rounds run, and at least one round must show an anomaly. Dispatch examines its threads after a second, and
  /// adds threads if the threads sleep. A trial may take a second on a busy machine.
  ///
  /// The lab may use one core, but Dispatch counts all cores that are online (`taskset`, the processors of a
  /// container).
  @Test func `a claim compares a pool with its own width if it is wider than the number of cores`() async throws {
    guard Host.onlineCores > 1 else { try skip("there is only one core") }
    try await require("taskset -c 0 true")
    let functions = """
      #include <errno.h>
      #include <pthread.h>
      #include <sched.h>
      int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cores) { return ENOSYS; }
      """
    for scenario in ["pool-starvation --variant blocking", "thread-explosion --variant lock-in-global-queue"] {
      let finished = try await lab(
        "scenario \(scenario) --quick --rounds 3", replacing: functions, with: "taskset -c 0")
      #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
      #expect(!finished.output.contains("violated") && !finished.output.contains("not-witnessed"), "\(finished.output)")
    }
  }

  /// Before Swift 6.3, Dispatch did not name its threads.
  @Test(arguments: ["group-wait-vs-notify", "thread-explosion", "limit-concurrency"])
  func `threads of the pool are recognized without their names`(_ scenario: String) async throws {
    let finished = try await lab(
      "scenario \(scenario) --quick --rounds 1",
      replacing: """
        #include <pthread.h>
        int pthread_setname_np(pthread_t thread, const char *name) { return 0; }
        """)
    let said = finished.unwrapped
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(!said.contains("violated") && !said.contains("not-witnessed"), "\(finished.output)")
  }

  @Test func `a terminal without Unicode receives only ASCII`() async throws {
    let finished = try await Binary.shell(
      "LC_ALL=C \"$0\" compare apply-stride stride=1,64 --rounds 2 --time 10min --set iterations=2000")
    #expect(finished.status == 0 && finished.output.allSatisfy(\.isASCII), "\(finished.output)")
  }

  @Test func `arguments that are not valid text are refused`() async throws {
    let name = "$(printf 'x\\377y')"
    for command in [
      "scenario \(name)", "scenario ./\(name).yml", "\(Self.run) --set \(name)=1", "report \(name) --html /tmp/x",
    ] {
      let finished = try await Binary.shell("\"$0\" \(command)")
      #expect(finished.status == 64, "\(command): \(finished.status) \(finished.errors)")
    }
  }

  @Test(arguments: [
    (40, " threads and some more are needed: cannot start a thread"),
    (3, "threads are needed: cannot start a thread"),
  ])
  func `a lack of threads is reported`(_ limit: Int, _ message: String) async throws {
    // The limit counts the threads of a user, and root has no limit. So each case has a user of its own, since the
    // cases run side by side.
    try await require("setpriv --reuid=64123 --clear-groups true")
    let script = """
      user=$((100000 + $$))
      lab=$(mktemp -d) && cp "$0" "$lab/gcdlab" && chmod 755 "$lab"
      cd "$lab"
      bash -c "ulimit -u \(limit); exec setpriv --reuid=$user --clear-groups ./gcdlab \
      scenario fd-semaphore --quick --rounds 1 --variant semaphore" 2>&1
      status=$?
      rm -r "$lab"
      exit $status
      """
    let finished = try await Binary.shell(script)
    #expect([0, 2].contains(finished.status), "\(finished.status)")
    let said = finished.unwrapped
    #expect(said.contains(message), "\(finished.output)")
  }
}
