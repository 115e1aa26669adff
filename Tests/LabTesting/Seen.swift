import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output of a process that has seen what it looked for.
private let seen = "seen"

/// Reports to the test that started this process (``isSeen(inProcesses:_:)``) that the process saw what the test looks
/// for.
public func tellSeen() {
  _ = write(STDOUT_FILENO, seen, seen.utf8.count)
}

/// Returns whether one of several processes, which `look` starts one after the other, reports that it saw what the test
/// looks for. It is for something that happens in most trials, and not in every one. A process checks by itself what
/// must be true in every trial.
public func isSeen(inProcesses count: Int, _ look: () async throws -> ExitTest.Result?) async rethrows -> Bool {
  for _ in 0..<count {
    guard let result = try await look() else { return false }
    if String(decoding: result.standardOutputContent, as: UTF8.self).contains(seen) { return true }
  }
  return false
}
