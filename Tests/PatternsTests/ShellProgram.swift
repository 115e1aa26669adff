import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Hands on the path of a program that reads its request and then runs `script` in a shell. It is gone afterwards.
func withProgram(_ script: String, _ body: (String) async throws -> Void) async throws {
  var template = Array("/tmp/gcdlab-test-XXXXXX".utf8CString)
  let directory = try #require(mkdtemp(&template)).withMemoryRebound(to: CChar.self, capacity: 1) {
    String(cString: $0)
  }
  let program = "\(directory)/program"
  defer {
    unlink(program)
    rmdir(directory)
  }
  try OutputFile(program).write("#!/bin/sh\nread request\n\(script)\n")
  chmod(program, 0o700)
  try await body(program)
}
