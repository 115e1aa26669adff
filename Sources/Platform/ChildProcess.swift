import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Another process that this one has started, and whose status it is to take.
public struct ChildProcess: Sendable {
  /// Its number.
  public let identifier: pid_t

  /// Starts a program. It has only the descriptors it is given, and standard error.
  ///
  /// - Parameters:
  ///   - executable: its path, its first argument too.
  ///   - environment: all that it finds there, but for what loads its libraries.
  ///   - descriptors: by the numbers that they have there, below 32.
  /// - Throws: ``SystemError`` when it cannot be started.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32]
  ) throws(SystemError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // By way of higher numbers: what one of them is called there another may be called here.
    let copies = descriptors.mapValues { fcntl($0, F_DUPFD_CLOEXEC, 32) }
    defer { for copy in copies.values where copy >= 0 { close(copy) } }
    for (number, copy) in copies {
      guard copy >= 0 else { throw SystemError(EMFILE, "hand a descriptor to \(executable)") }
      posix_spawn_file_actions_adddup2(&actions, copy, number)
    }
    var environment = environment
    if let path = Terminal.environment("LD_LIBRARY_PATH") { environment["LD_LIBRARY_PATH"] = path }
    let words = ([executable] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let status = posix_spawn(&process, executable, &actions, nil, words, variables)
    guard status == 0 else { throw SystemError(status, "start \(executable)") }
    identifier = process
  }

  /// Waits until it has ended, and takes its status.
  ///
  /// - Returns: what `exit` was called with; nil when something else has ended it, or its status was taken before.
  @discardableResult public func wait() -> Int32? { waitForStatus().flatMap(Self.exitStatus) }

  /// Waits until it has ended, and takes its status.
  ///
  /// - Returns: the status as `waitpid` tells it; nil when it was taken before.
  public func waitForStatus() -> Int32? {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status
  }

  /// Waits until it has ended, and leaves its status to be taken.
  public func waitUntilEnded() {
    var info = siginfo_t()
    while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// What `exit` was called with, of a status as `waitpid` tells it; nil when something else has ended the process.
  public static func exitStatus(_ status: Int32) -> Int32? { status & 0x7F == 0 ? status >> 8 & 0xFF : nil }

  /// Whether SIGKILL has ended the process, of a status as `waitpid` tells it. No process of a trial sends it: somebody
  /// else has, or the system for want of memory.
  public static func wasKilled(_ status: Int32) -> Bool { status & 0x7F == SIGKILL }

  /// From now on those that a descendant leaves behind become children of this process, which can wait for them.
  ///
  /// - Returns: whether the system does that.
  public static func adoptOrphans() -> Bool { gcdlab_adopt_orphans() == 0 }

  /// Waits until any child has ended, such as one that was adopted, and takes its status.
  public static func waitForAny() {
    var status: Int32 = 0
    while waitpid(-1, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits until all children have ended, and takes their statuses.
  ///
  /// - Returns: the statuses as `waitpid` tells them.
  public static func waitForAll() -> [Int32] {
    var statuses: [Int32] = []
    var status: Int32 = 0
    while true {
      if waitpid(-1, &status, 0) >= 0 { statuses.append(status) } else if errno != EINTR { return statuses }
    }
  }

  /// Takes the statuses of all children that have ended and nobody has asked for.
  ///
  /// - Returns: how many those were, and one more if there is a child that has not ended.
  public static func leftOver() -> Int {
    var count = 0
    var status: Int32 = 0
    while true {
      let process = waitpid(-1, &status, WNOHANG)
      if process < 0, errno == EINTR { continue }
      if process < 0 { return count }
      count += 1
      if process == 0 { return count }
    }
  }
}
