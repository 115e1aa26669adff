import Synchronization

/// A bounded list of elements that wait to be shown. If the reader is too slow, the backlog counts further elements
/// instead of keeping them.
public final class Backlog<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var dropped = 0
  }
  private let state = Mutex(State())
  private let limit: Int
  private let ringing: AsyncStream<Void>.Continuation
  /// Yields a value when there are elements to take. It finishes with ``end()``.
  public let bell: AsyncStream<Void>

  /// Creates an empty backlog that keeps at most `limit` elements.
  public init(limit: Int) {
    self.limit = limit
    (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an element if there is room for it, or counts it as dropped.
  public func add(_ element: Element) {
    state.withLock { state in
      if state.elements.count < limit { state.elements.append(element) } else { state.dropped += 1 }
    }
    ringing.yield()
  }

  /// Takes all elements, and the number of elements that were dropped after them.
  public func take() -> (elements: [Element], dropped: Int) {
    state.withLock { state in
      defer { state = State() }
      return (state.elements, state.dropped)
    }
  }

  /// Ends the backlog: nothing more is added, and the elements that it holds can still be taken.
  public func end() { ringing.finish() }
}
