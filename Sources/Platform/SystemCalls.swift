import CDispatchSupport
import Synchronization

/// Counts the system calls that a piece of code makes.
///
/// Linux 5.11 or later on x86-64 reports them exactly and without privileges: each call of the thread becomes a signal,
/// whose handler counts the call and lets it continue (`SystemCalls.c`). A call then takes some microseconds, so
/// nothing is timed while calls are counted. A request that the vDSO answers without entering the kernel
/// (`clock_gettime`) is not a system call.
public enum SystemCalls {
  /// The number of threads that are counting now. While it is above zero, the lab's handler of SIGSYS is installed.
  private static let counting = Mutex(0)

  /// Runs `body` and counts the system calls that the calling thread makes in it. The count contains the calls of
  /// signal handlers that interrupt the thread, but not those of other threads.
  ///
  /// - Returns: the count; nil if the system cannot count (another system or processor, an old kernel, a sanitizer), or
  ///   if `body` is inside another counted body. `body` runs in any case.
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
