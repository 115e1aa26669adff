import CDispatchSupport
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of our own, outside the dispatch pool: patterns run on one, and their actors are such threads.
///
/// Unchecked: its handle is opaque, and any thread may join or detach it once.
public struct SystemThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`.
  ///
  /// - Throws: ``SystemError`` when the system has no thread to give (`EAGAIN` at a thread limit).
  public init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // A thread that is started from the pool would inherit the name by which the census knows the pool's own.
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

  /// Lets the thread go its own way; it is not joined then.
  public func detach() { pthread_detach(handle) }

  /// Makes sure that `count` more threads can be had at once: where the pool cannot get any, Dispatch waits for them
  /// for ever, and not even a signal would be handled.
  ///
  /// - Throws: ``SystemError`` when they cannot.
  public static func requireRoom(for count: Int) throws(SystemError) {
    let gate = DispatchSemaphore(value: 0)
    var threads: [SystemThread] = []
    defer {
      for _ in threads { gate.signal() }
      for thread in threads { thread.join() }
    }
    for _ in 0..<count { threads.append(try SystemThread { gate.wait() }) }
  }

  /// Whether the system can keep a thread on a core; Darwin cannot.
  public static var canPreferCores: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Keeps the calling thread on one of the cores this process may use, `core` counted modulo their number. Nothing
  /// happens where the system has no such call (Darwin).
  ///
  /// - Throws: ``SystemError`` when the system has such a call and does not allow it.
  public static func prefer(core: Int) throws(SystemError) {
    let status = gcdlab_prefer_core(Int32(truncatingIfNeeded: core))
    if status != 0 { throw SystemError(status, "keep a thread on a core") }
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
