import LabTesting
import Platform
import Testing

@testable import Laboratory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if os(Linux)
  @Suite struct InterruptedTraceTests {
    /// An observer that cancels the task when a trial starts after a certain number of trials have ended.
    private struct Interruption: RunObserver {
      let trials: Int

      func trialStarts(_ run: VariantRun, _ progress: RunProgress) {
        if progress.done == trials { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `the traces of trials that ended before an interrupt are kept`(_ trials: Int) async throws {
      let plan = Plan(FakePattern.experiment(), budget: .smoke, seed: 1)
      let work = Task {
        // The lab ignores this signal, too, since a worker may end before it is written to.
        signal(SIGPIPE, SIG_IGN)
        return try await withProgram(#"echo '{"observation":{"values":{"elapsed":[5]},"histograms":{}}}'"#) { worker in
          try await Runner(ExecutableFile(worker), machine: .test).traces(plan, observer: Interruption(trials: trials))
        }
      }
      #expect(try await work.value.map(\.variant) == plan.runs.prefix(trials).map(\.variant.name))
    }
  }
#endif
