import CDispatchSupport
import Dispatch
import Synchronization

/// A thread outside the dispatch pool. Patterns run on such threads, and start further threads of this kind.
///
/// Conformance to `Sendable` is unchecked: the handle is opaque, and any thread may use the handle to join or detach
/// the thread.
public struct SystemThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`.
  ///
  /// - Throws: ``SystemError`` if no thread can be started (`EAGAIN` at a thread limit).
  public init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The census recognizes pool threads by their names, and a thread that is started from the pool inherits such a
    // name.
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

  /// Waits until the thread has ended. Call this method once, and not on a detached thread.
  public func join() { pthread_join(handle, nil) }

  /// Detaches the thread. A detached thread must not be joined.
  public func detach() { pthread_detach(handle) }

  /// Starts `count` threads. Once all threads exist, each thread executes `body` with its number from 0.
  ///
  /// - Returns: the threads, each of which must be joined or detached.
  /// - Throws: ``SystemError`` if a thread cannot be started. The threads that were started have then ended without
  ///   executing `body`, since `body` could wait for the missing threads forever.
  public static func start(
    _ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void
  ) throws(SystemError) -> [SystemThread] {
    let gate = DispatchSemaphore(value: 0)
    let areComplete = Atomic(false)
    var threads: [SystemThread] = []
    do throws(SystemError) {
      for number in 0..<count {
        threads.append(
          try SystemThread {
            gate.wait()
            if areComplete.load(ordering: .acquiring) { body(number) }
          })
      }
    } catch {
      for _ in threads { gate.signal() }
      for thread in threads { thread.join() }
      throw error
    }
    areComplete.store(true, ordering: .releasing)
    for _ in threads { gate.signal() }
    return threads
  }

  /// Verifies that `count` more threads can exist at the same time. If the pool cannot start a thread, Dispatch waits
  /// for a thread forever, and signals are no longer handled.
  ///
  /// - Throws: ``SystemError`` if that many threads cannot be started.
  public static func requireCapacity(for count: Int) throws(SystemError) {
    try OwnThreads.withoutPeak { () throws(SystemError) in
      for thread in try start(count, { _ in }) { thread.join() }
    }
  }

  /// Whether the system can bind a thread to a core; false on Darwin.
  public static var canPreferCores: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Binds the calling thread to one of the cores that this process may use. The index of the core is `core` modulo the
  /// number of these cores. The call has no effect on Darwin.
  ///
  /// - Throws: ``SystemError`` if the system does not allow the binding.
  public static func prefer(core: Int) throws(SystemError) {
    let status = gcdlab_prefer_core(Int32(truncatingIfNeeded: core))
    if status != 0 { throw SystemError(status, "bind a thread to a core") }
  }

  /// Whether this process may give a thread a nice value below 0; true if the system's threads have no nice values
  /// (Darwin). The first access gives the calling thread a nice value of -1 for an instant.
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

  /// Removes the permission to lower nice values from the calling thread, and from all threads that it starts later.
  /// The permission cannot be restored. A nice value of the calling thread below 0 becomes 0.
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
