import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Hands on the path of a program in the place of a worker, which reads its request into `$request` and then runs
/// `script` in a shell. It is gone afterwards.
///
/// - Throws: ``SystemError`` when it cannot be written, and what `body` throws.
public func withProgram<Result>(_ script: String, _ body: (String) async throws -> Result) async throws -> Result {
  var template = Array("/tmp/gcdlab-test-XXXXXX".utf8CString)
  guard let made = mkdtemp(&template) else { throw SystemError(errno, "make a directory") }
  let directory = String(cString: made)
  let program = "\(directory)/program"
  defer {
    unlink(program)
    rmdir(directory)
  }
  try OutputFile(program).write("#!/bin/sh\nread request\n\(script)\n")
  chmod(program, 0o700)
  return try await body(program)
}
