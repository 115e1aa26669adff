import CDispatchSupport
import Instruments

/// Determines whether the calling thread freed a piece of memory. If it did, the thread's next call of `malloc` returns
/// the same memory.
///
/// The cache of a thread returns the most recently freed piece first, unless the cache was full. glibc keeps 7 or 16
/// pieces of a size, and fills the cache by itself from an arena with many free pieces.
struct FreedMemory: ~Copyable {
  /// The pieces that `malloc` returned. They are kept until the end, so that none is returned twice.
  private var pieces: [UnsafeMutableRawPointer?] = []

  /// Reserves memory for `rounds` calls of ``isGivenAnew(_:_:)``, since growing the array between them would itself
  /// free memory.
  init(rounds: Int) { pieces.reserveCapacity(3 * rounds) }

  /// Calls `release` with `object`, and returns whether `malloc` then returns the same memory for a piece of the same
  /// size.
  mutating func isGivenAnew(
    _ object: UnsafeMutableRawPointer, _ release: (UnsafeMutableRawPointer) -> Void
  ) -> Bool {
    let (size, address) = (gcdlab_allocated_size(object), UInt(bitPattern: object))
    makeRoom(size)
    release(object)
    let piece = malloc(size)
    pieces.append(piece)
    return UInt(bitPattern: piece) == address
  }

  /// Makes room in the cache for one more piece of this size. Freeing a piece adds it to the cache unless the cache is
  /// full, and allocating a piece removes one.
  private mutating func makeRoom(_ size: Int) {
    pieces.append(malloc(size))
    free(pieces.removeLast())
    pieces.append(malloc(size))
  }

  deinit { for piece in pieces { free(piece) } }
}
