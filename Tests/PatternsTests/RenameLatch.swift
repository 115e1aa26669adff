import Platform
import Synchronization

/// Closes with the first rename, which still passes.
final class RenameLatch: Sendable {
  private let isClosed = Atomic(false)

  func isClosed(after change: FileChange) -> Bool {
    let wasClosed = isClosed.load(ordering: .relaxed)
    if change == .rename { isClosed.store(true, ordering: .relaxed) }
    return wasClosed
  }
}
