import Dispatch
import Platform
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whether system calls can be counted. If not, the only test is that the body is executed.
private let countsCalls = SystemCalls.during {} != nil

@Suite struct SystemCallsTests {
  @Test(.enabled(if: countsCalls, "the system does not count calls"), arguments: [0, 1, 10, 1000])
  func `every system call of the body is counted, and no call of the counter itself`(calls: Int) {
    var parent: pid_t = 0
    #expect(SystemCalls.during { for _ in 0..<calls { parent = getppid() } } == calls)
    if calls > 0 { #expect(parent == getppid()) }
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls"))
  func `an uncontended lock and an uncontended semaphore make no system calls`() async {
    // The test runs in a process of its own: another test may hold the allocator's lock, and a debug build allocates.
    await #expect(processExitsWith: .success) {
      let mutex = Mutex(0)
      let semaphore = DispatchSemaphore(value: 1)
      func locks() -> Int? { SystemCalls.during { for _ in 0..<100 { mutex.withLock { $0 += 1 } } } }
      func semaphores() -> Int? {
        SystemCalls.during {
          for _ in 0..<100 {
            semaphore.wait()
            semaphore.signal()
          }
        }
      }
      // The first call may allocate memory for the metadata of a generic type.
      _ = (locks(), semaphores())
      #expect(locks() == 0)
      #expect(semaphores() == 0)
      // The check can fail: this body makes one call.
      #expect(SystemCalls.during { mutex.withLock { $0 = Int(getppid()) } } == 1)
    }
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls"))
  func `a counted call returns the same value as an uncounted call`() {
    var bytes: [UInt8] = [0, 0, 0]
    var ends: [Int32] = [0, 0]
    var got = 0
    var error: Int32 = 0
    let calls = SystemCalls.during {
      pipe(&ends)
      write(ends[1], "abc", 3)
      got = read(ends[0], &bytes, 3)
      close(ends[0])
      close(ends[1])
      if close(ends[1]) != 0 { error = errno }
    }
    #expect(calls == 6)
    #expect(got == 3 && bytes == Array("abc".utf8) && error == EBADF)
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls"))
  func `a body can start a thread, whose system calls are not counted`() async throws {
    // glibc blocks all signals while a thread starts, and the thread begins on a stack of its own.
    for _ in 0..<100 {
      let parent = Atomic<Int32>(0)
      var failure: SystemError?
      let calls = SystemCalls.during {
        do throws(SystemError) {
          try SystemThread { for _ in 0..<1000 { parent.store(getppid(), ordering: .relaxed) } }.join()
        } catch { failure = error }
      }
      #expect(failure == nil && parent.load(ordering: .relaxed) == getppid())
      #expect((1..<1000).contains(calls ?? 0))
    }
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls"))
  func `a signal handler can interrupt the body, and its system calls are counted`() async {
    await #expect(processExitsWith: .success) {
      // A thread of the pool blocks the signal.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      func calls() -> Int? { SystemCalls.during { pthread_kill(pthread_self(), SIGUSR1) } }
      signal(SIGUSR1, SIG_IGN)
      let ignored = try #require(calls())
      signal(SIGUSR1) { _ in getppid() }
      let handled = try #require(calls())
      // The two calls are the call in the handler and the return from the handler.
      #expect(handled == ignored + 2, "\(ignored), then \(handled)")
      let after = SystemCalls.during { _ = getppid() }
      #expect(after == 1, "\(after ?? -1)")
    }
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls"))
  func `threads can count system calls at the same time, and each counts only its own`() async {
    await withTaskGroup { group in
      for calls in 1...20 {
        group.addTask { #expect(SystemCalls.during { for _ in 0..<calls { _ = getppid() } } == calls) }
      }
    }
  }

  @Test(.enabled(if: countsCalls, "the system does not count calls")) func `the handler of SIGSYS is restored`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGSYS, SIG_IGN)
      _ = SystemCalls.during {}
      kill(getpid(), SIGSYS)
    }
  }

  @Test func `the body runs exactly once, and its error is rethrown`() {
    struct Failure: Error {}
    var runs = 0
    let outer = SystemCalls.during {
      let inner = SystemCalls.during { runs += 1 }
      #expect(inner == nil)
    }
    #expect(runs == 1)
    #expect((outer != nil) == countsCalls)
    #expect(throws: Failure.self) { _ = try SystemCalls.during { throw Failure() } }
    #expect((SystemCalls.during {} != nil) == countsCalls)
  }
}
