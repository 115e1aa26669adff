import LabTesting
import Platform

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs a plan with a shell script instead of the worker. The script starts after the request has been read into
/// `$request`.
func run(_ plan: Plan, byWorker script: String) async throws -> Results {
  // The lab ignores this signal, too, since a worker may end before it is written to.
  signal(SIGPIPE, SIG_IGN)
  return try await withProgram(script) { worker in
    try await Runner(ExecutableFile(worker), machine: .test).run(plan)
  }
}
