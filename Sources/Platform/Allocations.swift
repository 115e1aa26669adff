import CDispatchSupport

/// The heap allocations of all threads of the process while a piece of code ran.
///
/// Only the released binary on Linux reports allocations: its linker replaces `malloc` and the related functions
/// (`Allocations.c`). The count costs two atomic additions for each allocation, so no code is timed during a count. At
/// all other times, an allocation costs one additional load and branch.
public struct Allocations: Sendable, Equatable {
  /// The number of calls that allocated or resized memory.
  public let count: Int
  /// The number of bytes that the allocating and resizing calls requested.
  public let bytes: Int

  /// Returns the allocations of the process while `body` ran; nil if this build does not report allocations. `body`
  /// runs in both cases.
  public static func during(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> Allocations? {
    guard gcdlab_sees_allocations() else {
      try await body()
      return nil
    }
    gcdlab_count_allocations(true)
    defer { gcdlab_count_allocations(false) }
    let before = gcdlab_allocations_so_far()
    try await body()
    let after = gcdlab_allocations_so_far()
    return Allocations(count: Int(after.count - before.count), bytes: Int(after.bytes - before.bytes))
  }
}
