import LabTesting
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if os(Linux)
  @Suite struct InterruptedTraceTests {
    /// Cancels the task when a trial starts before which so many have ended.
    private struct Interruption: RunObserver {
      let trials: Int

      func trialStarts(_ run: Run, _ progress: RunProgress) {
        if progress.done == trials { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `the record up to an interrupt is kept`(_ trials: Int) async throws {
      let plan = Plan(FakePattern.experiment(), budget: .smoke, seed: 1)
      let work = Task {
        // As the lab does: a worker may be gone before it is written to.
        signal(SIGPIPE, SIG_IGN)
        return try await withProgram(#"echo '{"observation":{"values":{"elapsed":[5]},"histograms":{}}}'"#) { worker in
          try await Runner(executable: worker, machine: .test).traces(plan, observer: Interruption(trials: trials))
        }
      }
      #expect(try await work.value.map(\.variant) == plan.runs.prefix(trials).map(\.variant.name))
    }
  }
#endif
