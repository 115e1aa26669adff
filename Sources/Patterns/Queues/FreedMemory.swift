import CDispatchSupport
import Instruments

/// A detector that checks whether the calling thread freed a piece of memory. If the thread freed the piece, the
/// thread's next call of `malloc` for the size of the piece returns the piece.
///
/// Each thread has a cache of freed pieces. The cache returns the most recently freed piece first, and accepts no
/// further piece while it is full. glibc caches 7 or 16 pieces of each size, and may also fill the cache from an arena
/// with many free pieces.
struct FreedMemory: ~Copyable {
  /// The pieces that `malloc` returned. The pieces are freed only when the detector is destroyed. Until then, `malloc`
  /// does not return a piece twice.
  private var pieces: [UnsafeMutableRawPointer?] = []

  /// Creates a detector with capacity for `rounds` calls of ``isReused(_:_:)``. Growing the array of pieces during a
  /// call would itself free memory.
  init(rounds: Int) { pieces.reserveCapacity(3 * rounds) }

  /// Calls `release` with `object`, and returns whether the next call of `malloc` for the object's size returns the
  /// memory of `object`.
  mutating func isReused(
    _ object: UnsafeMutableRawPointer, _ release: (UnsafeMutableRawPointer) -> Void
  ) -> Bool {
    let (size, address) = (gcdlab_allocated_size(object), UInt(bitPattern: object))
    makeRoom(size)
    release(object)
    let piece = malloc(size)
    pieces.append(piece)
    return UInt(bitPattern: piece) == address
  }

  /// Removes a piece of `size` bytes from the thread's cache. The cache then has room for the next freed piece.
  private mutating func makeRoom(_ size: Int) {
    pieces.append(malloc(size))
    free(pieces.removeLast())
    pieces.append(malloc(size))
  }

  deinit { for piece in pieces { free(piece) } }
}
