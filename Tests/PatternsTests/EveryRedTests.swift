import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Every guarantee and anomaly of every scenario is made red by a body that breaks it: a check that cannot fail is a defect.
/// The broken bodies stand beside their pattern's tests.
@Suite struct EveryRedTests {
  /// One line a pattern.
  static var reds: [Red] {
    [
      SingletonRaceTests.reds,
      GroupWaitVsNotifyTests.reds,
      GroupNestingTests.reds,
      GroupAdapterTests.reds,
      LibraryLoadTests.reds,
      QueueOrderTests.reds,
      QueueSuspendTests.reds,
      QueueContextTests.reds,
      MainQueueTests.reds,
      CompletionBlockTests.reds,
      QueuePriorityTests.reds,
      QueueDeadlockTests.reds,
      TaskGranularityTests.reds,
      ThreadVsQueueTests.reds,
      DispatchComparedTests.reds,
      BlockCaptureTests.reds,
      ReadersWriterTests.reds,
      QueuePoolPatternTests.reds,
      QueueWidthTests.reds,
      QueueVsLockTests.reds,
      ThreadExplosionTests.reds,
      BarrierScopeTests.reds,
      TargetQueuesTests.reds,
      ApplyStrideTests.reds,
      FileDescriptorSemaphoreTests.reds,
      SemaphoreCostTests.reds,
      FileMonitorPatternTests.reds,
      CustomSourceTests.reds,
      PoolStarvationTests.reds,
      LimitConcurrencyTests.reds,
      ActorReentrancyTests.reds,
      WorkItemTests.reds,
      DescriptorReadTests.reds,
      DescriptorWriteTests.reds,
      ProcessMonitorPatternTests.reds,
      StreamVsSourceTests.reds,
      TimerSourceTests.reds,
      SignalSourceTests.reds,
      HopCostTests.reds,
      SourceLifecycleTests.reds,
      MachPortTests.reds,
      AutoreleaseTests.reds,
    ].flatMap(\.self)
  }

  @Test func `every guarantee and anomaly has a body that breaks it`() throws {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)
    let claimed = try library.all().flatMap { experiment in
      experiment.claims.filter { $0.kind != .performance }.map { "\(experiment.pattern.name): \($0.check.text)" }
    }
    #expect(Set(claimed) == Set(Self.reds.map { "\($0.scenario): \($0.check)" }))
  }

  /// Each in a process of its own, as a worker is: a broken body may leave anything behind.
  @Test(arguments: reds.indices)
  func `a broken body is seen`(_ index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      closeInheritedDescriptors()
      let red = Self.reds[index]
      let verdict = try await red.verdict(files: Catalogue.files)
      // Nobody counts system calls in a process that is under AddressSanitizer.
      if verdict == .unavailable, red.scenario == "semaphore-cost", SystemCalls.during({}) == nil { return }
      #expect(verdict == .violated || verdict == .notWitnessed, "\(red.scenario): \(red.check): \(verdict)")
    }
  }
}
