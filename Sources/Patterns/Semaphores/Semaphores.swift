import CDispatchSupport
import Instruments

/// A dispatch semaphore that is used through the C functions, without Swift's wrapper `DispatchSemaphore`.
///
/// Conformance to `Sendable` is unchecked: a semaphore may be used from any thread.
final class FunctionSemaphore: @unchecked Sendable {
  private let object: UnsafeMutableRawPointer

  /// Creates a semaphore with `value` permits. All permits must be released before the semaphore is deallocated.
  init(value: Int) { object = gcdlab_dispatch_semaphore_create(value) }
  deinit { gcdlab_dispatch_release(object) }

  /// Takes a permit. Blocks the thread until a permit is available.
  @inline(__always) func wait() { gcdlab_dispatch_semaphore_wait(object, .max) }
  /// Releases a permit.
  @inline(__always) func signal() { gcdlab_dispatch_semaphore_signal(object) }
}

#if os(Linux)
  /// An unnamed POSIX semaphore. Darwin does not support unnamed semaphores.
  ///
  /// Conformance to `Sendable` is unchecked: a semaphore may be used from any thread.
  final class POSIXSemaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// Creates a semaphore with `value` permits.
    ///
    /// - Throws: ``SystemError`` if the semaphore cannot be created.
    init(value: UInt32) throws(SystemError) {
      guard sem_init(semaphore, 0, value) == 0 else { throw SystemError(errno, "make a POSIX semaphore") }
    }
    deinit {
      sem_destroy(semaphore)
      semaphore.deallocate()
    }

    /// Takes a permit. Blocks the thread until a permit is available, even if a signal handler interrupts the wait.
    @inline(__always) func wait() { while sem_wait(semaphore) != 0 {} }
    /// Releases a permit.
    @inline(__always) func post() { sem_post(semaphore) }
  }
#else
  final class POSIXSemaphore: Sendable {
    init(value: UInt32) throws(SystemError) { throw SystemError(ENOSYS, "make a POSIX semaphore") }
    func wait() {}
    func post() {}
  }
#endif

/// A System V semaphore. The kernel retains the semaphore until this object is deallocated or the machine restarts.
final class SystemVSemaphore: Sendable {
  private let identifier: Int32

  /// Creates a semaphore with `value` permits.
  ///
  /// - Throws: ``SystemError`` if the semaphore cannot be created.
  init(value: Int16) throws(SystemError) {
    identifier = semget(key_t(IPC_PRIVATE), 1, 0o600)
    guard identifier >= 0 else { throw SystemError(errno, "make a System V semaphore") }
    change(by: value)
  }
  deinit { gcdlab_remove_semaphore(identifier) }

  /// Releases permits, or takes permits if `permits` is negative. Blocks the thread until enough permits are available,
  /// even if a signal handler interrupts the wait.
  @inline(__always) func change(by permits: Int16) {
    var change = sembuf(sem_num: 0, sem_op: permits, sem_flg: 0)
    while semop(identifier, &change, 1) != 0, errno == EINTR {}
  }
}

/// A semaphore that consists of a count of permits, a mutex and a condition variable.
///
/// Conformance to `Sendable` is unchecked: the mutex guards the permits.
final class ConditionSemaphore: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var permits: Int

  /// Creates a semaphore with `value` permits.
  init(value: Int) {
    permits = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }
  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Takes a permit. Blocks the thread until a permit is available.
  @inline(__always) func wait() {
    pthread_mutex_lock(mutex)
    while permits == 0 { pthread_cond_wait(condition, mutex) }
    permits -= 1
    pthread_mutex_unlock(mutex)
  }
  /// Releases a permit.
  @inline(__always) func signal() {
    pthread_mutex_lock(mutex)
    permits += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }
}

/// Executes one system call, `getppid`.
@inline(never) func callKernel() { _ = getppid() }
