import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct SemaphoreCostTests {
  @Test(arguments: ["dispatch", "dispatch-c", "posix", "system-v", "pthread-condition", "mutex"])
  func `each signal wakes one thread, and no update is lost`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        variant, of: SemaphoreCost(), files: Catalogue.files, ["threads": .integer(3), "batch": .integer(10)])
      #expect(attempt.brokenPromises == [])
      #expect(attempt.total("lost-updates") == 0)
    }
  }

  @Test(arguments: [2, 3, 16]) func `several simultaneous signals wake one thread each`(_ waiters: Int) async {
    await #expect(processExitsWith: .success) { [waiters = waiters as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "dispatch-burst", of: SemaphoreCost(), files: Catalogue.files, ["waiters": .integer(waiters)])
      #expect(attempt.brokenPromises == [])
    }
  }

  @Test func `a thread that signals and waits again overtakes a sleeping thread`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Attempt("dispatch-again", of: SemaphoreCost(), files: Catalogue.files)
      #expect(attempt.brokenPromises == [])
      #if os(Linux)
        #expect(attempt.total("overtaken") == 1)
      #endif
    }
  }

  @Test func `a trial on a system that does not report whether threads sleep is unavailable`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      var pattern = SemaphoreCost()
      pattern.standstill.areOthersAsleep = { nil }
      let attempt = try await Attempt("dispatch", of: pattern, files: Catalogue.files)
      #expect(
        attempt.trial.outcome
          == .unavailable(reason: "this system does not report whether threads sleep"))
    }
  }

  // MARK: Broken bodies

  /// Uses a semaphore that makes needless system calls.
  private static func callsKernel(_ trial: Trial, _ calls: Int, _ pattern: SemaphoreCost) throws {
    let semaphore = DispatchSemaphore(value: 1)
    try pattern.measure(trial) { pairs in
      pairs.each { critical in
        for _ in 0..<calls { callKernel() }
        semaphore.wait()
        critical()
        semaphore.signal()
      }
    }
    try pattern.signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.signal() })
  }

  /// Uses a POSIX semaphore that makes a needless system call.
  private static func posixCallsKernel(_ trial: Trial, _ pattern: SemaphoreCost) throws {
    let semaphore = try POSIXSemaphore(value: 1)
    try pattern.measure(trial) { pairs in
      pairs.each { critical in
        callKernel()
        semaphore.wait()
        critical()
        semaphore.post()
      }
    }
    try pattern.signalOneByOne(trial, take: { semaphore.wait() }, give: { semaphore.post() })
  }

  /// Uses a semaphore that is signalled twice, so that each call resumes two waiting threads.
  private static func freesTwo(_ trial: Trial, _ pattern: SemaphoreCost) throws {
    let semaphore = DispatchSemaphore(value: 0)
    semaphore.signal()
    try pattern.measure(trial) { pairs in
      pairs.each { critical in
        semaphore.wait()
        critical()
        semaphore.signal()
        semaphore.signal()
      }
    }
    try pattern.signalOneByOne(
      trial, take: { semaphore.wait() },
      give: {
        semaphore.signal()
        semaphore.signal()
      })
  }

  static var reds: [Red] {
    let pattern = SemaphoreCost()
    var miscounted = SemaphoreCost()
    miscounted.getParent = {
      callKernel()
      callKernel()
    }
    let (right, wrong) = (pattern, miscounted)
    func red(
      _ check: String, _ variant: String, _ pattern: SemaphoreCost = pattern,
      _ body: @escaping @Sendable (Trial) throws -> Void
    ) -> Red {
      Red(check, variant, of: pattern, ["threads": .integer(4)], body)
    }
    return [
      red("dispatch.syscalls-per-pair == 0", "dispatch") { try callsKernel($0, 1, right) },
      red("dispatch-c.syscalls-per-pair == 0", "dispatch-c") { try callsKernel($0, 1, right) },
      red("posix.syscalls-per-pair == 0", "posix") { try posixCallsKernel($0, right) },
      red("system-v.syscalls-per-pair == 2", "system-v") { try callsKernel($0, 3, right) },
      red("all.control == 1", "dispatch", wrong) { try callsKernel($0, 0, wrong) },
      red("dispatch.wrong-wakeups == 0", "dispatch") { try freesTwo($0, right) },
      red("dispatch-c.wrong-wakeups == 0", "dispatch-c") { try freesTwo($0, right) },
      // The thread that signals waits until the other thread has the permit.
      Red("dispatch-again.overtaken > 0", "dispatch-again", of: pattern, ["attempts": .integer(5)]) {
        try pattern.signalAndWait($0) {
          let (semaphore, taken) = (DispatchSemaphore(value: 0), Gauge())
          return (
            take: {
              semaphore.wait()
              taken.up()
            },
            give: {
              semaphore.signal()
              while taken.now == 0 { yieldProcessor() }
            }
          )
        }
      },
      // Each signal is sent twice.
      Red("dispatch-burst.wrong-wakeups == 0", "dispatch-burst", of: pattern, ["waiters": .integer(3)]) {
        let semaphore = DispatchSemaphore(value: 0)
        try pattern.signalAtOnce(
          $0, take: { semaphore.wait() },
          give: {
            semaphore.signal()
            semaphore.signal()
          })
      },
      red("posix.wrong-wakeups == 0", "posix") { try freesTwo($0, right) },
      red("system-v.wrong-wakeups == 0", "system-v") { try freesTwo($0, right) },
      red("pthread-condition.wrong-wakeups == 0", "pthread-condition") { try freesTwo($0, right) },
      // There is no lock. The threads synchronize between reading and writing.
      Red("all.lost-updates == 0", "mutex", of: pattern, ["hold": .integer(100_000), "contended-pairs": .integer(500)])
      {
        try pattern.measure($0) { pairs in pairs.each { critical in critical() } }
      },
    ]
  }
}
