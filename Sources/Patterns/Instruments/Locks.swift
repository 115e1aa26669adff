import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A mutex that closures can share.
final class Lock: Sendable {
  let mutex = Mutex(())
}

/// A mutex of the C library that closures can share.
///
/// Unchecked: it is made to be used from any thread, and its memory does not move.
final class ThreadMutex: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// A mutex that nobody has.
  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits until nobody has it, and takes it.
  @inline(__always) func lock() { pthread_mutex_lock(mutex) }
  /// Gives it back.
  @inline(__always) func unlock() { pthread_mutex_unlock(mutex) }
}
