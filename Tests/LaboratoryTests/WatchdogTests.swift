import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct WatchdogTests {
  @Test func `a timeout is divided into several waits that add up to it`() {
    var patience = SlicedTimeout(.seconds(32))
    var waits = 1
    while !patience.spend(patience.slice) { waits += 1 }
    #expect(waits > 1 && patience.slice * waits == .seconds(32))
  }

  @Test func `a renewed timeout begins with its full time again`() {
    var patience = SlicedTimeout(.seconds(32))
    let isOver = patience.spend(.seconds(31))
    patience.renew()
    let isOverThen = patience.spend(.seconds(31))
    #expect(!isOver && !isOverThen)
  }

  /// Starts a shell as the leader of a process group.
  private func shell(_ script: String, _ actions: inout posix_spawn_file_actions_t) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    let words = ["sh", "-c", script].map { (word: String) in strdup(word) }
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    try #require(posix_spawn(&process, "/bin/sh", &actions, &attributes, words + [nil], nil) == 0)
    return process
  }

  #if os(Linux)
    /// Memory limits apply to each process, so the worker may not be able to start a thread although the lab is.
    @Test(arguments: [(4096, true), (1 << 50, false)])
    func `a worker whose memory limit leaves no room for a thread is not reported as hung`(
      _ limit: Int, _ isShort: Bool
    ) throws {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      let process = try shell("exec sleep 1000", &actions)
      // The worker is killed as soon as it sleeps.
      let watchdog = try Watchdog(
        limit: .seconds(3600), ending: .milliseconds(10), memoryLimits: [("-d", limit)])
      watchdog.watch(process)
      watchdog.hazardBegan()
      #expect(waitpid(process, nil, 0) == process)
      if case .unavailable(let reason) = watchdog.outcome {
        #expect(isShort && reason.hasPrefix("the worker did not end, and there is no room for the stack of another"))
      } else {
        #expect(!isShort && watchdog.outcome == .hung)
      }
      watchdog.dismiss()
    }
  #endif

  /// The lab may detect an end late if it is busy, or if a child holds the pipes. Such a worker did not hang.
  @Test func `a worker that has ended is not reported as hung`() throws {
    var pipes: [Int32] = [0, 0]
    try #require(pipe(&pipes) == 0)
    defer { close(pipes[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    let process = try shell("sleep 1000 & exit", &actions)
    close(pipes[1])
    var status = siginfo_t()
    // The process is a zombie until its status is collected, as if the lab were late.
    #expect(waitid(P_PID, id_t(process), &status, WEXITED | WNOWAIT) == 0)

    let watchdog = try Watchdog(limit: .milliseconds(50), ending: nil)
    watchdog.watch(process)
    var byte: UInt8 = 0
    // The worker's child was still running, and is killed with the worker.
    #expect(read(pipes[0], &byte, 1) == 0)
    #expect(watchdog.outcome == nil && !watchdog.hasExpired)
    watchdog.dismiss()
    #expect(waitpid(process, nil, 0) == process)
  }
}
