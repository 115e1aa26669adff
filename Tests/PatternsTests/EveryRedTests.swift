import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Tests that a broken body makes the check of every guarantee and anomaly of every scenario red. A check that cannot
/// fail is a defect. The broken bodies are in the tests of their patterns.
@Suite struct EveryRedTests {
  /// The broken bodies of all patterns, one line for each.
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
      CancellationTests.reds,
      ContinuationsTests.reds,
      TaskOrderTests.reds,
      WhereCodeRunsTests.reds,
      IsolatedDeinitTests.reds,
      CustomExecutorsTests.reds,
      PriorityEscalationTests.reds,
      BlockingBridgeTests.reds,
      BackpressureTests.reds,
      StructuredCostTests.reds,
      AsyncMainTests.reds,
      LockScalingTests.reds,
    ].flatMap(\.self)
  }

  @Test func `every guarantee and anomaly has a body for which the claim fails`() throws {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)
    for gap in Self.gaps(try library.all(), Self.reds) { Issue.record("\(gap)") }
  }

  /// Returns the claims without a body that breaks them, with a proposal for the body and its place, and the bodies
  /// without a claim.
  static func gaps(_ experiments: [Experiment], _ reds: [Red]) -> [Comment] {
    let claimed = experiments.flatMap { experiment in
      experiment.claims.filter { $0.kind != .performance }.map { (experiment: experiment, check: $0.check) }
    }
    let unbroken = claimed.filter { experiment, check in
      !reds.contains { $0.scenario == experiment.pattern.name && $0.check == check.text }
    }
    let lacking = unbroken.map { experiment, check -> Comment in
      let name = experiment.pattern.name
      let type = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      let known = reds.first { $0.scenario == name }?.place.fileName
      let variant = check.references.lazy.map(\.scope).first(where: \.isOne)?.name ?? experiment.variants[0].name
      return """
        scenarios/\(experiment.name).yml claims `\(check.text)`, and no body breaks it. Add to `reds` in \
        Tests/PatternsTests/\(known ?? "\(type)Tests.swift, and that to EveryRedTests.reds"):
        Red("\(check.text)", "\(variant)", of: \(type)()) { trial in … }
        with what \(variant) would do if the claim were false (CONTRIBUTING.md, "… a metric").
        """
    }
    let stale = reds.filter { red in
      !claimed.contains { $0.experiment.pattern.name == red.scenario && $0.check.text == red.check }
    }
    return lacking
      + stale.map { "\($0.place) breaks `\($0.check)`, which no scenario of \($0.scenario) claims: remove it" }
  }

  @Test func `claims without a broken body, and broken bodies without a claim, are reported`()
    throws
  {
    let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)
    let queueOrder = [try library.experiment("queue-order")]
    let reds = QueueOrderTests.reds
    #expect(Self.gaps(queueOrder, reds).isEmpty)
    let lacking = Self.gaps(queueOrder, Array(reds.dropFirst())).map(\.rawValue)
    #expect(lacking.count == 1)
    for part in [reds[0].check, "Tests/PatternsTests/QueueOrderTests.swift", "of: QueueOrder()"] {
      #expect(lacking[0].contains(part), "\(lacking)")
    }
    #expect(Self.gaps(queueOrder, []).first?.rawValue.contains("QueueOrderTests.swift, and that to EveryRed") == true)
    let stale = Self.gaps([], [reds[0]]).map(\.rawValue)
    #expect(stale.count == 1 && stale[0].hasPrefix("QueueOrderTests.swift:"), "\(stale)")
  }

  /// Each body runs in a process of its own, like a worker, since a broken body may leave threads and files behind.
  ///
  /// Dispatch on Linux may crash if a read source is cancelled while the manager's thread handles an event of its pipe:
  /// of 200 processes with some bodies of `descriptor-read`, two died in `_dispatch_event_loop_drain` of Swift 6.3, at
  /// a list of handlers that another thread had changed. Such a crash is a known issue, and any other failure is not.
  @Test(arguments: reds.indices)
  func `the check of a claim fails for its broken body`(_ index: Int) async throws {
    let scenario = Self.reds[index].scenario
    // AddressSanitizer is in the way of both, and another C library does not report the heap.
    if scenario == "semaphore-cost", SystemCalls.during({}) == nil { try skip("no system calls can be counted") }
    if scenario == "structured-cost", Host.heapInUse == nil { try skip("the heap in use is not reported") }
    await withKnownIssue("Dispatch crashed", isIntermittent: true) {
      await judge(index)
    } when: {
      scenario == DescriptorRead.name
    } matching: {
      "\($0)".contains("SIGSEGV")
    }
  }

  private func judge(_ index: Int) async {
    await #expect(processExitsWith: .success) { [index = index as Int] in
      closeInheritedDescriptors()
      let red = Self.reds[index]
      let verdict: Verdict
      do {
        verdict = try await red.verdict(files: Catalogue.files)
      } catch {
        // An error would end the process without its text.
        Issue.record("\(red.scenario): \(red.check): \(error)")
        return
      }
      #expect(verdict == .violated || verdict == .notWitnessed, "\(red.scenario): \(red.check): \(verdict)")
    }
  }
}
