import CDispatchSupport
import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A way to get the one instance of a slot, creating it when it is not there.
protocol SingletonGuard: Sendable {
  /// The instance of the slot that `visit` is at, as the bits of its address.
  func instance(_ visit: Visit) -> UInt
}

/// The broken way: between the check and the store another thread can do the same.
///
/// The slot is a relaxed atomic, so the race is in the logic alone and the program stays free of undefined behaviour.
struct CheckThenAct: SingletonGuard {
  @inline(__always)
  func instance(_ visit: Visit) -> UInt {
    let found = visit.slot.pointee.instance.load(ordering: .relaxed)
    if found != 0 { return found }
    let created = visit.create()
    visit.slot.pointee.instance.store(created, ordering: .relaxed)
    return created
  }
}

/// The document's way to show it: sleep between the check and the store, and once more after it.
struct CheckThenActPaused: SingletonGuard {
  let microseconds: UInt32

  func instance(_ visit: Visit) -> UInt {
    let found = visit.slot.pointee.instance.load(ordering: .relaxed)
    if found != 0 { return found }
    usleep(microseconds)
    let created = visit.create()
    visit.slot.pointee.instance.store(created, ordering: .relaxed)
    usleep(microseconds)
    return created
  }
}

/// `dispatch_once_f`: one thread creates, the others wait for it; afterwards a load and a compare.
struct DispatchOnce: SingletonGuard {
  @inline(__always)
  func instance(_ visit: Visit) -> UInt {
    let slot = visit.slot
    withUnsafePointer(to: visit) { context in
      gcdlab_once(&slot.pointee.once, UnsafeMutableRawPointer(mutating: context)) { context in
        guard let visit = context?.assumingMemoryBound(to: Visit.self).pointee else { return }
        visit.slot.pointee.instance.store(visit.create(), ordering: .relaxed)
      }
    }
    return slot.pointee.instance.load(ordering: .relaxed)
  }
}

/// Everything inside `sync` on a serial queue.
struct SerialQueueGuard: SingletonGuard {
  private let queue = DispatchQueue(label: "gcdlab.singleton")

  func instance(_ visit: Visit) -> UInt { queue.sync { CheckThenAct().instance(visit) } }
}

/// Readers share a concurrent queue; the creation is a barrier, which checks again.
struct BarrierGuard: SingletonGuard {
  private let queue = DispatchQueue(label: "gcdlab.singleton", attributes: .concurrent)

  func instance(_ visit: Visit) -> UInt {
    let found = queue.sync { visit.slot.pointee.instance.load(ordering: .relaxed) }
    return found != 0 ? found : queue.sync(flags: .barrier) { CheckThenAct().instance(visit) }
  }
}

/// Everything under a mutex.
final class MutexGuard: SingletonGuard {
  private let mutex = Mutex(())

  func instance(_ visit: Visit) -> UInt { mutex.withLock { _ in CheckThenAct().instance(visit) } }
}

/// Check without the lock, then once more with it. The acquiring load pairs with the releasing store, so that who
/// sees the instance sees it whole.
final class DoubleChecked: SingletonGuard {
  private let mutex = Mutex(())

  @inline(__always)
  func instance(_ visit: Visit) -> UInt {
    let found = visit.slot.pointee.instance.load(ordering: .acquiring)
    return found != 0 ? found : createLocked(visit)
  }

  private func createLocked(_ visit: Visit) -> UInt {
    mutex.withLock { _ in
      let found = visit.slot.pointee.instance.load(ordering: .relaxed)
      if found != 0 { return found }
      let created = visit.create()
      visit.slot.pointee.instance.store(created, ordering: .releasing)
      return created
    }
  }
}
