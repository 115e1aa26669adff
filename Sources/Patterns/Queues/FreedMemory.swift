import CDispatchSupport
import Instruments

/// Tells whether memory was freed by the calling thread, from what `malloc` gives it next.
///
/// A thread's own cache hands out first what was put there last, so long as it was not full: glibc keeps 7 or 16 pieces
/// of a size, and fills the cache by itself from an arena in which many lie free.
struct FreedMemory: ~Copyable {
  /// What was given out, kept until the end, so that no piece is given out twice.
  private var pieces: [UnsafeMutableRawPointer?] = []

  /// Room for `rounds` calls of ``isGivenAnew(_:_:)``: to make more amid them would itself free memory.
  init(rounds: Int) { pieces.reserveCapacity(3 * rounds) }

  /// Has `release` let `object` go, and says whether its memory is what a piece of that size gets afterwards.
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

  /// Leaves the cache with room for a piece more of that size: one goes in, or it is full, and one is taken out.
  private mutating func makeRoom(_ size: Int) {
    pieces.append(malloc(size))
    free(pieces.removeLast())
    pieces.append(malloc(size))
  }

  deinit { for piece in pieces { free(piece) } }
}
