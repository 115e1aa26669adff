import CDispatchSupport
import Instruments

/// Determines whether the calling thread freed a piece of memory, by what `malloc` returns to it next.
///
/// The cache of a thread returns the piece first that was put there last, unless the cache was full. glibc keeps 7 or
/// 16 pieces of a size, and fills the cache by itself from an arena with many free pieces.
struct FreedMemory: ~Copyable {
  /// The pieces that `malloc` returned. They are kept until the end, so that none is returned twice.
  private var pieces: [UnsafeMutableRawPointer?] = []

  /// Reserves memory for `rounds` calls of ``isGivenAnew(_:_:)``, since growing the array between them would itself
  /// free memory.
  init(rounds: Int) { pieces.reserveCapacity(3 * rounds) }

  /// Lets `release` release `object`, and returns whether `malloc` then returns the same memory for a piece of that
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

  /// Makes room in the cache for one more piece of that size. A piece is freed, which adds it unless the cache is full,
  /// and a piece is allocated, which removes one.
  private mutating func makeRoom(_ size: Int) {
    pieces.append(malloc(size))
    free(pieces.removeLast())
    pieces.append(malloc(size))
  }

  deinit { for piece in pieces { free(piece) } }
}
