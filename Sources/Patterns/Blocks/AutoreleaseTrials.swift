import Dispatch
import Instruments
import Synchronization

#if canImport(ObjectiveC)
  import ObjectiveC
#else
  /// Runs `body` without an autorelease pool, since only Darwin has autorelease pools.
  func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif

extension Autorelease {
  /// Returns a probe that submits blocks, each of which autoreleases objects. The probe records the largest number of
  /// objects that exist at the beginning of a block, and the number of objects that still exist when all blocks have
  /// run.
  ///
  /// - Parameter way: the mechanism that releases the autoreleased objects.
  func countObjects(by way: AutoreleasedObjects.Way = .runtime) -> Probe<@Sendable (AutoreleasedObjects) -> Void> {
    Probe(reads: [blocks, objects], records: [kept, left]) { trial, body in
      let made = try AutoreleasedObjects(blocks: trial[blocks], each: trial[objects], by: way)
      body(made)
      made.all.wait()
      trial.record(kept, made.kept)
      trial.record(left, made.alive)
    }
  }
}

/// The objects that blocks create and autorelease, with the number of objects that still exist.
final class AutoreleasedObjects: Sendable {
  /// The group of all blocks of the trial.
  let all = DispatchGroup()
  private let count: Int
  private let each: Int
  private let release: @Sendable (Object) -> Void
  private let liveObjects = LiveObjects()
  private let mostKept = Atomic<Int>(0)

  /// The mechanism that releases an autoreleased object.
  enum Way: Sendable {
    /// The autorelease pool of the Objective-C runtime.
    case runtime
    /// A closure, provided by a test, that receives each object and releases it.
    case other(@Sendable (any Sendable & AnyObject) -> Void)
  }

  private final class LiveObjects: Sendable {
    let count = Atomic<Int>(0)
  }

  /// An object that increments a count when it is created and decrements the count when it is deallocated.
  private final class Object: Sendable {
    private let liveObjects: LiveObjects

    init(_ liveObjects: LiveObjects) {
      self.liveObjects = liveObjects
      liveObjects.count.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { liveObjects.count.subtract(1, ordering: .acquiringAndReleasing) }
  }

  /// A block that creates and autoreleases objects in the trial.
  struct Block: Sendable {
    fileprivate let made: AutoreleasedObjects

    /// Records how many objects exist, and then creates and autoreleases the objects of the block.
    func makeAndAutorelease() {
      made.mostKept.max(made.alive, ordering: .acquiringAndReleasing)
      for _ in 0..<made.each { made.release(Object(made.liveObjects)) }
    }
  }

  /// Creates a record for `count` blocks, each of which creates `each` objects.
  ///
  /// - Throws: ``Unavailable`` if `way` is ``Way/runtime`` and the system has no autorelease pools.
  init(blocks count: Int, each: Int, by way: Way) throws {
    self.count = count
    self.each = each
    switch way {
    case .other(let release): self.release = { release($0) }
    case .runtime:
      #if canImport(ObjectiveC)
        release = { _ = Unmanaged.passRetained($0).autorelease() }
      #else
        throw Unavailable("autorelease pools, which only Darwin has, are needed")
      #endif
    }
  }

  /// The blocks of the trial. Each block creates and autoreleases objects.
  var blocks: [Block] { (0..<count).map { _ in Block(made: self) } }

  /// The number of objects that exist now.
  var alive: Int { liveObjects.count.load(ordering: .acquiring) }

  /// The largest number of objects that existed at the beginning of a block.
  var kept: Int { mostKept.load(ordering: .acquiring) }
}
