import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Calls `body` with the path of a program that replaces a worker. The program reads its request into `$request` and
/// then executes `script` in a shell. It is removed afterwards.
///
/// - Throws: ``SystemError`` if the program cannot be written, or the error that `body` throws.
public func withProgram<Result>(_ script: String, _ body: (String) async throws -> Result) async throws -> Result {
  var template = Array("\(ScratchDirectory.parent)/gcdlab-test-XXXXXX".utf8CString)
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
