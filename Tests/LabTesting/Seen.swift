import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a process writes that has seen what it looked for.
private let seen = "seen"

/// Tells the test that began this process (``isSeen(inProcesses:_:)``) that what it looks for was seen here.
public func tellSeen() {
  _ = write(STDOUT_FILENO, seen, seen.utf8.count)
}

/// Whether one of so many processes, begun one after the other by `look`, tells that it has seen what is looked for:
/// for what happens in most trials, and not in each. What must be so in each trial, the process checks itself.
public func isSeen(inProcesses count: Int, _ look: () async throws -> ExitTest.Result?) async rethrows -> Bool {
  for _ in 0..<count {
    guard let result = try await look() else { return false }
    if String(decoding: result.standardOutputContent, as: UTF8.self).contains(seen) { return true }
  }
  return false
}
