import Dispatch
import Exploration
import GCDLab
import Laboratory
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pattern whose workers misbehave as the environment requests. The verdict that each gate must reach is therefore
/// known (`make hardships`, and the tests).
///
/// The environment variable `FAULTS` lists faults, as in `hang:left crash=20%`. Each word names a fault, the share of
/// the trials that have the fault (100 % by default) and the variant (all by default). The seed of the run determines
/// which trials have the fault. If `FAULTS_LOG` names a file, each trial that reports its true figures appends a line
/// with its variant and its count.
struct Faults: Pattern {
  static let name = "faults"

  let size = Parameter.count("size", 1...10_000, default: 1, "changes nothing")

  let missed = Metric.count("missed", "what a trial has left out")
  let elapsed = Metric.latency("elapsed", "how long it took")

  var variants: [Variant] {
    Variant("left", .documented, "leaves nothing out") { try run($0, missed: 0) }
    Variant("right", .documented, "leaves nothing out, either") { try run($0, missed: 0) }
    Variant("unsafe", .broken, "leaves something out") { try run($0, missed: 1) }
    Variant(
      "elsewhere", .modern, "not on this system", needs: [Requirement("another system") { _ in "not on this system" }]
    ) {
      try run($0, missed: 0)
    }
  }

  private func run(_ trial: Trial, missed count: Int) throws {
    _ = trial[size]
    var generator = Generator(trial)
    let faults = (Terminal.environment("FAULTS") ?? "").split(separator: " ").map { Fault(String($0)) }
    let fault = faults.first { $0.strikes(trial.variant, &generator) }
    try fault?.act(trial, self)
    trial.record(missed, fault?.kind == "wrong" ? 7 : count)
    trial.record(elapsed, 1000 + UInt64.random(in: 0..<100, using: &generator))
    if fault == nil || fault?.kind == "noise" { try log("\(trial.variant) \(count)") }
  }

  private func log(_ line: String) throws {
    guard let path = Terminal.environment("FAULTS_LOG") else { return }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    defer { close(descriptor) }
    try writeAll(line + "\n", to: descriptor)
  }
}

/// A pattern with known costs, which verifies the costs that the lab reports for a trial.
struct KnownCosts: Pattern {
  static let name = "known-costs"

  let used = Parameter.duration(
    "used", .milliseconds(1) ... .seconds(1), default: .milliseconds(10), "processor time that each thread uses")

  let sleeps = Metric.count("sleeps", "sleeps of the trial's thread")

  var variants: [Variant] {
    Variant("idle", .documented, "does nothing") { trial in
      _ = trial[used]
      trial.record(sleeps, 0)
    }
    Variant("two-threads", .documented, "uses processor time on two threads, the last of 13") { trial in
      let time = trial[used]
      let gate = DispatchSemaphore(value: 0)
      let others = try (0..<11).map { _ in try SystemThread { gate.wait() } }
      let busy = try (0..<2).map { _ in try SystemThread { Self.use(time) } }
      for thread in busy { thread.join() }
      for _ in others { gate.signal() }
      for thread in others { thread.join() }
      trial.record(sleeps, 0)
    }
    Variant("set-up", .documented, "uses ten times as much first, which is of its body too") { trial in
      Self.use(.milliseconds(100))
      Self.use(trial[used])
      trial.record(sleeps, 0)
    }
    Variant("sleeper", .documented, "sleeps 200 times") { trial in
      _ = trial[used]
      for _ in 0..<200 { usleep(200) }
      trial.record(sleeps, 200)
    }
    Variant("large", .documented, "holds 64 MiB") { trial in
      _ = trial[used]
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 20, alignment: 4096)
      defer { bytes.deallocate() }
      bytes.initializeMemory(as: UInt8.self, repeating: 1)
      trial.record(sleeps, bytes[trial.cores] == 0 ? 1 : 0)
    }
  }

  /// Spins until the calling thread has used this much more processor time.
  private static func use(_ time: Duration) {
    func used() -> UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    let end = used() + time.nanoseconds
    while used() < end {}
  }
}

/// A SplitMix64 generator. Its numbers are the same for the same seed, variant and round.
private struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(_ trial: Trial) {
    state = trial.variant.utf8.reduce(trial.seed &* 0x9e37_79b9_7f4a_7c15) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// A fault, as a word of the form `KIND[=SHARE%][:VARIANT]` describes it.
private struct Fault {
  let kind: String
  private let share: Double
  private let variant: String?

  init(_ text: String) {
    let parts = text.split(separator: ":").map(String.init)
    let words = parts[0].split(separator: "=").map(String.init)
    kind = words[0]
    share = words.count > 1 ? (Double(words[1].filter { $0 != "%" }) ?? 100) / 100 : 1
    variant = parts.count > 1 ? parts[1] : nil
  }

  func strikes(_ variant: String, _ generator: inout Generator) -> Bool {
    let drawn = Double.random(in: 0..<1, using: &generator)
    return drawn < share && (self.variant ?? variant) == variant
  }

  func act(_ trial: Trial, _ pattern: Faults) throws {
    switch kind {
    case "hang": while true { pause() }
    case "spin": while true { sched_yield() }
    case "crash": raise(SIGILL)
    // The signal is sent to the process, so this thread may still run for a while before the signal takes effect.
    case "killed", "stopped":
      kill(getpid(), kind == "killed" ? SIGKILL : SIGSTOP)
      while true { pause() }
    case "silent": _exit(0)
    case "status": _exit(3)
    case "empty": report(#"{"observation":{"values":{"missed":[],"elapsed":[5]},"histograms":{}},"reads":["size"]}"#)
    case "hollow": report(#"{"observation":{"values":{"elapsed":[5]},"histograms":{"missed":[]}},"reads":["size"]}"#)
    case "absent": report(#"{"observation":{"values":{"elapsed":[5]},"histograms":{}},"reads":["size"]}"#)
    case "negative":
      report(#"{"observation":{"values":{"missed":[-1],"elapsed":[5]},"histograms":{}},"reads":["size"]}"#)
    case "garbage": report("\u{1b}[31m{]")
    case "nothing": report("{}")
    case "flood": while true { report(String(repeating: "0", count: 1 << 20), ends: false) }
    case "noise": try writeAll(String(repeating: "noise\n", count: 1 << 18), to: STDERR_FILENO)
    case "full": throw SystemError(ENOSPC, "write")
    case "starved": throw Unavailable("the machine has none")
    case "wrong": break
    default: throw Unknown(description: "unknown fault \(kind)")
    }
  }

  /// Sends `text` to the lab in place of the trial's report. No correct trial sends such a text. Ends the process if
  /// `ends` is true.
  private func report(_ text: String, ends: Bool = true) {
    for descriptor in Int32(3)..<64 {
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
        fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY
      else { continue }
      try? writeAll(text + (ends ? "\n" : ""), to: descriptor)
      if ends { _exit(0) }
      return
    }
    _exit(4)
  }
}

private struct Unknown: Error, CustomStringConvertible { let description: String }

private func scenario(_ name: String, _ claims: String) -> (name: String, text: String) {
  (
    "\(name).yml",
    """
    scenario: \(name)
    pattern: faults
    title: What the gates say of workers that misbehave
    source: none
    tags: [test]
    lesson: None.
    baseline: left
    show: [elapsed]
    claims:
    \(claims)
    """
  )
}

Lab(
  patterns: [Faults(), KnownCosts()],
  files: [
    scenario(
      "safe",
      """
        - {says: Nothing is left out., kind: guarantee, check: left.missed == 0}
        - {says: Nothing is left out by the other., kind: guarantee, check: right.missed == 0}
        - {says: The unsafe one leaves something out., kind: anomaly, check: unsafe.missed > 0}
      """),
    scenario(
      "together",
      """
        - {says: Nobody leaves out more than one., kind: guarantee, check: all.missed <= 1}
      """),
    scenario(
      "speed",
      """
        - {says: The left one is faster., kind: performance, check: left.elapsed < right.elapsed}
      """),
  ],
  // No scenario has the name of this pattern.
  explored: [
    ExploredPattern("faults", [.init("unsafe", isBroken: true) { Execution.breaks("it leaves something out") }])
  ]
).main()
