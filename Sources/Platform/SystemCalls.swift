import CDispatchSupport
import Synchronization

/// A counter of the system calls that a piece of code makes.
///
/// Linux 5.11 or later on x86-64 reports system calls exactly and without privileges: each call of the thread becomes a
/// signal, and the handler of the signal counts and continues the call (`SystemCalls.c`). A call then takes some
/// microseconds, so no code is timed while calls are counted. A function that the vDSO executes without entering the
/// kernel (`clock_gettime`) is not a system call.
public enum SystemCalls {
  /// The number of threads that are counting. While this number is above zero, the lab's handler of SIGSYS is
  /// installed.
  private static let counting = Mutex(0)

  /// Executes `body`, and counts the system calls that the calling thread makes while `body` runs. The count includes
  /// the calls of signal handlers that interrupt the thread, but not the calls of other threads.
  ///
  /// - Returns: the count; nil if the system cannot count calls (another system or processor, an old kernel, a
  ///   sanitizer), or if the thread is counting already. `body` is executed in both cases.
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
