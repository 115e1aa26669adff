import LabTesting
import Platform
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs a plan with a shell script in the place of the worker. The script begins once the request was read, into `$request`.
func run(_ plan: Plan, byWorker script: String) async throws -> Results {
  // As the lab does: a worker may be gone before it is written to.
  signal(SIGPIPE, SIG_IGN)
  var template = Array("/tmp/gcdlab-test-XXXXXX".utf8CString)
  let directory = try #require(mkdtemp(&template)).withMemoryRebound(to: CChar.self, capacity: 1) {
    String(cString: $0)
  }
  let worker = "\(directory)/worker"
  defer {
    unlink(worker)
    rmdir(directory)
  }
  try OutputFile(worker).write("#!/bin/sh\nread request\n\(script)\n")
  chmod(worker, 0o700)
  return try await Runner(executable: worker, machine: .test).run(plan)
}
