import CDispatchSupport

/// A child process, with operations that wait for the child's exit status.
public struct ChildProcess: Sendable {
  /// The process identifier.
  public let identifier: pid_t

  /// Starts a program. The new process inherits the given descriptors. The new process also inherits this process's
  /// descriptors that stay open in a new program, such as standard error.
  ///
  /// - Parameters:
  ///   - executable: the program. The executable's name becomes the program's first argument.
  ///   - environment: the environment variables of the new process. If `LD_LIBRARY_PATH` is set in this process, the
  ///     variable is added.
  ///   - descriptors: the descriptors that the new process inherits. Each key is a descriptor's number in the new
  ///     process, and is below 32. Each value is the descriptor's number in this process.
  /// - Throws: ``SystemError`` if the process cannot be started.
  public init(
    _ executable: ExecutableFile, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32]
  ) throws(SystemError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The descriptors are first copied to higher numbers, since a number in the new process may also be the number of
    // another descriptor in this process.
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (number, descriptor) in descriptors {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 32)
      // The error is EINVAL if the limit of descriptors is 32 or lower.
      guard copy >= 0 else {
        throw SystemError(errno == EINVAL ? EMFILE : errno, "pass a descriptor to \(executable.name)")
      }
      copies.append(copy)
      posix_spawn_file_actions_adddup2(&actions, copy, number)
    }
    var environment = environment
    if let path = Terminal.environment("LD_LIBRARY_PATH") { environment["LD_LIBRARY_PATH"] = path }
    let words = ([executable.name] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let status = posix_spawn(&process, executable.path, &actions, nil, words, variables)
    guard status == 0 else { throw SystemError(status, "start \(executable.name)") }
    identifier = process
  }

  init(_ identifier: pid_t) { self.identifier = identifier }

  /// Starts a process that keeps a core busy until that process is killed (``end()``), or until this process has ended.
  ///
  /// - Throws: ``SystemError`` if the process cannot be started.
  public static func spinning() throws(SystemError) -> ChildProcess {
    let process = gcdlab_start_spinning()
    guard process > 0 else { throw SystemError(errno, "start a process") }
    return ChildProcess(process)
  }

  /// Kills the process, waits until it has ended, and collects its status.
  public func end() {
    kill(identifier, SIGKILL)
    wait()
  }

  /// Waits until the process has ended, and collects its status.
  ///
  /// - Returns: the value that the process passed to `exit`; nil if a signal ended the process, or if the status has
  ///   already been collected.
  @discardableResult public func wait() -> Int32? { waitForStatus().flatMap(Self.exitStatus) }

  /// Waits until the process has ended, and collects its status.
  ///
  /// - Returns: the status as `waitpid` reports it; nil if the status has already been collected.
  public func waitForStatus() -> Int32? {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status
  }

  /// Waits until the process has ended, without collecting the status of the process.
  public func waitUntilEnded() {
    var info = siginfo_t()
    while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Returns the value that a process passed to `exit`, given its status from `waitpid`; nil if a signal ended the
  /// process.
  public static func exitStatus(_ status: Int32) -> Int32? { status & 0x7F == 0 ? status >> 8 & 0xFF : nil }

  /// Returns whether SIGKILL ended a process, given its status from `waitpid`. No process of a trial sends SIGKILL. The
  /// signal therefore came from another program, or from the system because memory was short.
  public static func wasKilled(_ status: Int32) -> Bool { status & 0x7F == SIGKILL }

  /// Returns whether a trap ended a process, given its status from `waitpid`. The signal of a trap is SIGILL or
  /// SIGTRAP, depending on the processor.
  public static func hasTrapped(_ status: Int32) -> Bool { [SIGILL, SIGTRAP].contains(status & 0x7F) }

  /// Makes this process the parent of all its orphaned descendants. The process can then wait for these descendants.
  ///
  /// - Returns: true if this process adopts orphans from now on; false if the system does not support the adoption.
  public static func adoptOrphans() -> Bool { gcdlab_adopt_orphans() == 0 }

  /// Waits until any child or adopted descendant has ended, and collects the status of that process. Returns at once if
  /// there are no children.
  public static func waitForAny() {
    var status: Int32 = 0
    while waitpid(-1, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits until all children have ended, and collects the children's statuses.
  ///
  /// - Returns: the statuses as `waitpid` reports them.
  public static func waitForAll() -> [Int32] {
    var statuses: [Int32] = []
    var status: Int32 = 0
    while true {
      if waitpid(-1, &status, 0) >= 0 { statuses.append(status) } else if errno != EINTR { return statuses }
    }
  }

  /// Collects the statuses of all children that have ended and whose statuses have not been collected.
  ///
  /// - Returns: the number of collected statuses, plus 1 if a child has not ended.
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
