import CDispatchSupport
import Synchronization

/// How many system calls a piece of code makes.
///
/// Linux on x86-64 from 5.11 on tells, exactly and without privileges: each call of the thread becomes a signal, whose
/// handler counts it and lets it through (`SystemCalls.c`). A call then takes some microseconds, so nothing is timed
/// while it is counted. What the kernel answers without being entered (`clock_gettime` by the vDSO) is no call.
public enum SystemCalls {
  /// How many threads count now; SIGSYS is ours while there is one.
  private static let counting = Mutex(0)

  /// Runs `body` and counts the system calls that the calling thread makes in it. Calls of other threads are not
  /// counted; those of signal handlers that interrupt the thread are.
  ///
  /// - Returns: nil, with `body` run all the same, where the system does not tell: another system or processor, an old
  ///   kernel, a sanitizer, or a body inside another one that is counted.
  public static func during<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int? {
    guard takeSignal() else {
      try body()
      return nil
    }
    defer { giveSignalBack() }
    guard gcdlab_begin_counting_calls() == 0 else {
      try body()
      return nil
    }
    do { try body() } catch {
      _ = gcdlab_end_counting_calls()
      throw error
    }
    let count = gcdlab_end_counting_calls()
    return count < 0 ? nil : Int(count)
  }

  private static func takeSignal() -> Bool {
    counting.withLock { threads in
      guard threads > 0 || gcdlab_answer_calls(true) == 0 else { return false }
      threads += 1
      return true
    }
  }

  private static func giveSignalBack() {
    counting.withLock { threads in
      threads -= 1
      if threads == 0 { _ = gcdlab_answer_calls(false) }
    }
  }
}
