import Instruments
import Synchronization

/// The document's singleton, which is a real allocation, so that creating it takes as long as creating any object. Its
/// references are not counted, since reference counting is not part of the race.
///
/// Unchecked: the allocation contains only an atomic.
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
    // `allocate` of Swift calls `posix_memalign` on Linux, which takes longer.
    guard let address = malloc(MemoryLayout<Properties>.size) else { fatalError("no memory") }
    self.address = address
    properties.initialize(to: Properties())
  }

  /// Frees the instance.
  @inline(__always)
  func destroy() {
    if let array = properties.pointee.photosArray.load(ordering: .relaxed) { free(array) }
    properties.deinitialize(count: 1)
    free(address)
  }

  /// Creates the array without which a manager is not set up.
  func makePhotosArray() {
    properties.pointee.photosArray.store(malloc(64), ordering: .releasing)
  }

  /// Whether the manager is set up.
  var hasPhotosArray: Bool { properties.pointee.photosArray.load(ordering: .acquiring) != nil }
}

/// A singleton and its once-predicate, alone on two cache lines. Neighbours on the same line would slow each other down
/// and thereby narrow the race.
struct Singleton: ~Copyable {
  /// The predicate is the first field, so that its address is the singleton's.
  var predicate = 0
  /// The shared instance; nil while there is none.
  let manager = Atomic<UnsafeMutableRawPointer?>(nil)
  /// The pause before the creation.
  var pause: Unmanaged<RacePause>?
  private let padding: (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int) = (
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Removes the instance, and resets the predicate.
  mutating func clear() {
    manager.store(nil, ordering: .relaxed)
    predicate = 0
  }
}

/// The instances that an actor created and got at one singleton.
struct Note {
  /// The instance that the actor created; nil if it created none.
  var created: PhotoManager?
  /// The instance that the actor got; nil if it got none.
  var got: PhotoManager?
}

/// A singleton as an actor sees it: the document's static variable.
///
/// The variable is a relaxed atomic, so that the race is only in the logic, and the program has no undefined behaviour.
///
/// Unchecked: the note belongs to one actor, which shares with others only an atomic, a once-predicate and a pause.
struct SharedManager: @unchecked Sendable {
  private let singleton: UnsafeMutablePointer<Singleton>
  private let note: UnsafeMutablePointer<Note>

  @inline(__always)
  init(_ singleton: UnsafeMutablePointer<Singleton>, _ note: UnsafeMutablePointer<Note>) {
    self.singleton = singleton
    self.note = note
  }

  /// The shared instance, or nil while there is none; loaded and stored without ordering.
  var manager: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .relaxed).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .relaxed) }
  }

  /// The shared instance, or nil; loaded by acquiring and stored by releasing, so that an actor that sees the instance
  /// sees it set up.
  var published: PhotoManager? {
    @inline(__always) get { singleton.pointee.manager.load(ordering: .acquiring).map { PhotoManager(at: $0) } }
    @inline(__always) nonmutating set { singleton.pointee.manager.store(newValue?.address, ordering: .releasing) }
  }

  /// The predicate for `dispatch_once`. It is an address and not a variable: with `&` each actor would claim exclusive
  /// access.
  var predicate: UnsafeMutablePointer<Int> {
    @inline(__always) get { UnsafeMutableRawPointer(singleton).assumingMemoryBound(to: Int.self) }
  }

  /// Creates an instance and notes it. The race destroys the instance at its end. In a race with a pause before the
  /// creation, pauses first.
  @inline(__always)
  func create() -> PhotoManager {
    if singleton.pointee.pause != nil { pauseBeforeCreation() }
    let created = PhotoManager()
    note.pointee.created = created
    return created
  }

  @inline(never)
  private func pauseBeforeCreation() {
    singleton.pointee.pause?._withUnsafeGuaranteedRef { if $0.step == .creation { $0.sleep() } }
  }

  /// Pauses the calling thread until the race's ``RacePause`` ends, in place of the document's two seconds.
  func sleep() { singleton.pointee.pause?._withUnsafeGuaranteedRef { $0.sleep() } }

  /// Pauses asynchronously.
  func slept() async { await singleton.pointee.pause?.takeUnretainedValue().slept() }

  /// The singleton that the calling thread asks for, in a race with a pause. An initializer that has no arguments reads
  /// this value.
  @TaskLocal static var asked: SharedManager?
}
