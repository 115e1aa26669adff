import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A mutex that closures can share.
public final class Lock: Sendable {
  /// The mutex.
  public let mutex = Mutex(())

  /// An unlocked lock.
  public init() {}
}

/// A mutex of the C library that closures can share.
///
/// Unchecked: it is made to be used from any thread, and its memory does not move.
public final class ThreadMutex: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// A mutex that nobody has.
  public init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits until nobody has it, and takes it.
  @inlinable @inline(__always) public func lock() { pthread_mutex_lock(mutex) }
  /// Gives it back.
  @inlinable @inline(__always) public func unlock() { pthread_mutex_unlock(mutex) }
}
