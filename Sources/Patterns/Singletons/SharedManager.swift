import Instruments
import Synchronization

/// The photo manager of the document "GCD in depth". Each instance is allocated on the heap, so creating an instance
/// takes as long as creating any object. References to an instance are not counted, since reference counting is not
/// part of the race.
///
/// Conformance to `Sendable` is unchecked: the allocated memory contains only an atomic.
struct PhotoManager: Equatable, @unchecked Sendable {
  fileprivate let address: UnsafeMutableRawPointer

  private struct Properties: ~Copyable {
    let photosArray = Atomic<UnsafeMutableRawPointer?>(nil)
  }

  @inline(__always)
  private var properties: UnsafeMutablePointer<Properties> { address.assumingMemoryBound(to: Properties.self) }

  @inline(__always)
  fileprivate init(at address: UnsafeMutableRawPointer) { self.address = address }

  @inline(__always)
  fileprivate init() {
    // Swift's `allocate` calls `posix_memalign` on Linux, which takes longer than `malloc`.
    guard let address = malloc(MemoryLayout<Properties>.size) else { fatalError("no memory") }
    self.address = address
    properties.initialize(to: Properties())
  }

  /// Deallocates the instance.
  @inline(__always)
  func destroy() {
    if let array = properties.pointee.photosArray.load(ordering: .relaxed) { free(array) }
    properties.deinitialize(count: 1)
    free(address)
  }

  /// Completes the set-up of the manager by allocating the array of photos.
  func makePhotosArray() {
    properties.pointee.photosArray.store(malloc(64), ordering: .releasing)
  }

  /// Whether the manager is set up: whether its array of photos is allocated.
  var hasPhotosArray: Bool { properties.pointee.photosArray.load(ordering: .acquiring) != nil }
}

/// A singleton and its predicate for `dispatch_once`, on two cache lines without other singletons. Singletons on a
/// common cache line would delay each other's threads and make a race less likely.
struct Singleton: ~Copyable {
  /// The predicate for `dispatch_once`. The predicate is the first field, so its address equals the address of the
  /// singleton.
  var predicate = 0
  /// The shared instance; nil if there is no instance.
  let manager = Atomic<UnsafeMutableRawPointer?>(nil)
  /// The pause in the accessor; nil if the accessor does not pause.
  var pause: Unmanaged<RacePause>?
  private let padding: (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int) = (
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Removes the instance without deallocating it, and resets the predicate.
  mutating func clear() {
    manager.store(nil, ordering: .relaxed)
    predicate = 0
  }
}

/// The instances that a racer created and received for one singleton.
struct Note {
  /// The instance that the racer created; nil if the racer created no instance.
  var created: PhotoManager?
  /// The instance that the racer received; nil if the racer received no instance.
  var got: PhotoManager?
}

/// A singleton, with one racer's note on the singleton. This structure replaces the static variable in the code of the
/// document "GCD in depth".
///
/// The shared instance is stored in an atomic. A program without a guard therefore contains a race condition, but no
/// undefined behaviour.
///
/// Conformance to `Sendable` is unchecked: each note belongs to one racer. The racers share only an atomic, a predicate
/// for `dispatch_once` and a pause.
struct SharedManager: @unchecked Sendable {
  private let singleton: UnsafeMutablePointer<Singleton>
  private let note: UnsafeMutablePointer<Note>

  @inline(__always)
  init(_ singleton: UnsafeMutablePointer<Singleton>, _ note: UnsafeMutablePointer<Note>) {
    self.singleton = singleton
    self.note = note
  }

  /// The shared instance; nil if there is no instance. Loads and stores are relaxed.
  var manager: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .relaxed).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .relaxed) }
  }

  /// The shared instance; nil if there is no instance. Loads acquire and stores release, so a racer that loads the
  /// instance also observes its set-up.
  var published: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .acquiring).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .releasing) }
  }

  /// A pointer to the predicate for `dispatch_once`. Passing a variable with `&` would claim exclusive access to the
  /// predicate, and several racers use the predicate at the same time.
  var predicate: UnsafeMutablePointer<Int> {
    @inline(__always) get { UnsafeMutableRawPointer(singleton).assumingMemoryBound(to: Int.self) }
  }

  /// Creates an instance, and records it in the racer's note. If the race has a pause before the creation, this method
  /// pauses first. The track deallocates the instance after the race.
  @inline(__always)
  func create() -> PhotoManager {
    if singleton.pointee.pause != nil { pauseBeforeCreation() }
    let created = PhotoManager()
    note.pointee.created = created
    return created
  }

  @inline(never)
  private func pauseBeforeCreation() {
    singleton.pointee.pause?._withUnsafeGuaranteedRef { if $0.step == .creation { $0.wait() } }
  }

  /// Blocks the calling thread until the race's ``RacePause`` ends. The document "GCD in depth" blocks the thread for
  /// two seconds instead. Returns immediately if the race has no pause.
  func pause() { singleton.pointee.pause?._withUnsafeGuaranteedRef { $0.wait() } }

  /// Suspends the calling task until the race's ``RacePause`` ends. Returns immediately if the race has no pause.
  func pause() async { await singleton.pointee.pause?.takeUnretainedValue().wait() }

  /// The singleton that the calling thread requests in a race of threads with a pause; nil outside such a race. The
  /// initializer of a static property has no parameters, and reads this value instead.
  @TaskLocal static var asked: SharedManager?
}
