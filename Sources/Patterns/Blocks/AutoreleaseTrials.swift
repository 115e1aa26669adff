import Dispatch
import Instruments
import Synchronization

#if canImport(ObjectiveC)
  import ObjectiveC
#else
  /// Runs `body` unchanged, since systems other than Darwin have no autorelease pools.
  func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif

/// The measuring code.
extension Autorelease {
  /// Submits blocks that autorelease objects, and counts the objects that are left when all blocks have run.
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

/// The objects that blocks create and autorelease.
final class AutoreleasedObjects: Sendable {
  /// The group of all blocks.
  let all = DispatchGroup()
  private let count: Int
  private let each: Int
  private let release: @Sendable (Object) -> Void
  private let living = Living()
  private let mostKept = Atomic<Int>(0)

  /// The way in which an object is released later.
  enum Way: Sendable {
    /// The Objective-C runtime releases the object.
    case runtime
    /// A closure of a test releases the object.
    case other(@Sendable (any Sendable & AnyObject) -> Void)
  }

  private final class Living: Sendable {
    let count = Atomic<Int>(0)
  }

  /// An object that is counted while it exists.
  private final class Object: Sendable {
    private let living: Living

    init(_ living: Living) {
      self.living = living
      living.count.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { living.count.subtract(1, ordering: .acquiringAndReleasing) }
  }

  /// A block of the trial.
  struct Block: Sendable {
    fileprivate let made: AutoreleasedObjects

    /// Creates objects and autoreleases them.
    func makeAndAutorelease() {
      made.mostKept.max(made.alive, ordering: .acquiringAndReleasing)
      for _ in 0..<made.each { made.release(Object(made.living)) }
    }
  }

  /// Creates blocks that have not created any objects yet.
  ///
  /// - Throws: ``Unavailable`` if the system does not autorelease objects.
  init(blocks count: Int, each: Int, by way: Way) throws {
    self.count = count
    self.each = each
    switch way {
    case .other(let release): self.release = { release($0) }
    case .runtime:
      #if canImport(ObjectiveC)
        release = { _ = Unmanaged.passRetained($0).autorelease() }
      #else
        throw Unavailable("autorelease pools are needed, which only Darwin has")
      #endif
    }
  }

  /// The blocks, each of which creates objects and autoreleases them.
  var blocks: [Block] { (0..<count).map { _ in Block(made: self) } }

  /// The number of objects that exist now.
  var alive: Int { living.count.load(ordering: .acquiring) }

  /// The largest number of objects that existed when a block began.
  var kept: Int { mostKept.load(ordering: .acquiring) }
}
