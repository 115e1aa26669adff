import Dispatch
import Instruments
import Synchronization

#if canImport(ObjectiveC)
  import ObjectiveC
#else
  /// Runs `body` as it is, for systems other than Darwin have no autorelease pools.
  func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
#endif

/// What the variants are put through.
extension Autorelease {
  /// Submits blocks that autorelease objects, and counts the objects that are left when all blocks have run.
  func autorelease(
    _ trial: Trial, by way: AutoreleasedObjects.Way = .runtime, _ body: (AutoreleasedObjects) -> Void
  ) throws {
    let made = try AutoreleasedObjects(blocks: trial[blocks], each: trial[objects], by: way)
    body(made)
    made.all.wait()
    trial.record(kept, made.kept)
    trial.record(left, made.alive)
  }
}

/// Objects that blocks make and autorelease.
final class AutoreleasedObjects: Sendable {
  /// The group of all blocks.
  let all = DispatchGroup()
  private let count: Int
  private let each: Int
  private let release: @Sendable (Object) -> Void
  private let living = Living()
  private let mostKept = Atomic<Int>(0)

  /// How an object is let go later.
  enum Way: Sendable {
    /// By the runtime of Objective-C.
    case runtime
    /// In a test: by this.
    case other(@Sendable (any Sendable & AnyObject) -> Void)
  }

  private final class Living: Sendable {
    let count = Atomic<Int>(0)
  }

  /// One that is counted while it lives.
  private final class Object: Sendable {
    private let living: Living

    init(_ living: Living) {
      self.living = living
      living.count.add(1, ordering: .acquiringAndReleasing)
    }

    deinit { living.count.subtract(1, ordering: .acquiringAndReleasing) }
  }

  /// One block.
  struct Block: Sendable {
    fileprivate let made: AutoreleasedObjects

    /// Makes objects and autoreleases them.
    func makeAndAutorelease() {
      made.mostKept.max(made.alive, ordering: .acquiringAndReleasing)
      for _ in 0..<made.each { made.release(Object(made.living)) }
    }
  }

  /// None yet.
  ///
  /// - Throws: ``Unavailable`` where objects are not autoreleased.
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

  /// The blocks, each of which is to make an object and autorelease it.
  var blocks: [Block] { (0..<count).map { _ in Block(made: self) } }

  /// How many objects there are now.
  var alive: Int { living.count.load(ordering: .acquiring) }

  /// The most that there were when a block began.
  var kept: Int { mostKept.load(ordering: .acquiring) }
}
