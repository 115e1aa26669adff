import Synchronization

/// A mutex that closures can share.
public final class Lock: Sendable {
  /// The underlying mutex.
  public let mutex = Mutex(())

  /// Creates an unlocked lock.
  public init() {}
}

/// A mutex of the C library that closures can share.
///
/// Conformance to `Sendable` is unchecked: a mutex may be used from any thread, and its memory does not move.
public final class ThreadMutex: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Creates an unlocked mutex.
  public init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Locks the mutex. Blocks the calling thread while another thread holds the mutex.
  @inlinable @inline(__always) public func lock() { pthread_mutex_lock(mutex) }
  /// Unlocks the mutex.
  @inlinable @inline(__always) public func unlock() { pthread_mutex_unlock(mutex) }
}
