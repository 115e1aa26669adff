import CDispatchSupport
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread outside the dispatch pool. Patterns run on such threads, and start further ones.
///
/// Unchecked: the handle is opaque, and any thread may join or detach it once.
public struct SystemThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`.
  ///
  /// - Throws: ``SystemError`` if the system has no thread left (`EAGAIN` at a thread limit).
  public init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // A thread that is started from the pool inherits the name of a pool thread, by which the census recognizes the
    // pool.
    var name = (UInt64(0), UInt64(0))
    let isFromPool =
      !OwnThreads.hasCurrent && withUnsafeMutableBytes(of: &name) { gcdlab_hide_pool_name($0.baseAddress) }
    defer { if isFromPool { withUnsafeBytes(of: &name) { gcdlab_take_name($0.baseAddress) } } }
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
      var created: pthread_t?
      let status = pthread_create(&created, nil, { Box.run($0) }, box.toOpaque())
      guard status == 0, let created else {
        box.release()
        throw SystemError(status, "start a thread")
      }
    #else
      var created = pthread_t()
      let status = pthread_create(&created, nil, { Box.run($0) }, box.toOpaque())
      guard status == 0 else {
        box.release()
        throw SystemError(status, "start a thread")
      }
    #endif
    handle = created
  }

  /// Waits until the thread has ended. Call it once.
  public func join() { pthread_join(handle, nil) }

  /// Detaches the thread. A detached thread must not be joined.
  public func detach() { pthread_detach(handle) }

  /// Verifies that `count` more threads can exist at once. If the pool cannot get a thread, Dispatch waits for one
  /// forever, and even signals are not handled any more.
  ///
  /// - Throws: ``SystemError`` if the threads cannot be started.
  public static func requireCapacity(for count: Int) throws(SystemError) {
    let gate = DispatchSemaphore(value: 0)
    var threads: [SystemThread] = []
    defer {
      for _ in threads { gate.signal() }
      for thread in threads { thread.join() }
    }
    for _ in 0..<count { threads.append(try SystemThread { gate.wait() }) }
  }

  /// Whether the system can keep a thread on a core, which Darwin cannot.
  public static var canPreferCores: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Keeps the calling thread on one of the cores that this process may use: `core` modulo their number. The call has
  /// no effect on Darwin, which offers no such call.
  ///
  /// - Throws: ``SystemError`` if the system does not allow it.
  public static func prefer(core: Int) throws(SystemError) {
    let status = gcdlab_prefer_core(Int32(truncatingIfNeeded: core))
    if status != 0 { throw SystemError(status, "keep a thread on a core") }
  }

  /// Whether this process may give a thread a nice value below 0. The first access gives the calling thread such a
  /// value for an instant. The value is true if the system's threads have no nice values (Darwin).
  public static let canRaisePriority: Bool = {
    #if canImport(Darwin)
      true
    #else
      // 0 is PRIO_PROCESS, which applies to a single thread on Linux.
      let before = getpriority(0, 0)
      guard before >= 0 else { return true }
      guard setpriority(0, 0, -1) == 0 else { return false }
      setpriority(0, 0, before)
      return true
    #endif
  }()

  /// Takes from the calling thread, and from all threads that it starts later, the permission to raise priorities: to
  /// lower nice values. The threads cannot regain it. If the calling thread's nice value is below 0, it becomes 0.
  ///
  /// - Throws: ``SystemError`` if the thread still has the permission, or if the system has no such permission
  ///   (Darwin).
  public static func giveUpRaisingPriority() throws(SystemError) {
    let status = gcdlab_give_up_raising_priority()
    if status != 0 { throw SystemError(status, "give up the permission to raise priorities") }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      if let pointer { OwnThreads.during(Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body) }
      return nil
    }
  }
}
