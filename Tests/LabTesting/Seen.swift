import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The output of a process that reports a success.
private let seen = "seen"

/// Reports a success to the test that started this process with ``isSeen(inProcesses:_:)``.
public func tellSeen() {
  _ = write(STDOUT_FILENO, seen, seen.utf8.count)
}

/// Returns whether one of several processes, which `look` starts one after the other, reports a success with
/// ``tellSeen()``. Use this function for an effect that occurs in most trials, but not in every trial. A process itself
/// checks the conditions that must be true in every trial.
public func isSeen(inProcesses count: Int, _ look: () async throws -> ExitTest.Result?) async rethrows -> Bool {
  for _ in 0..<count {
    guard let result = try await look() else { return false }
    if String(decoding: result.standardOutputContent, as: UTF8.self).contains(seen) { return true }
  }
  return false
}
