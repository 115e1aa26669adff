import Synchronization

/// A bounded list of elements that wait to be displayed. If the list is full, the backlog counts further elements
/// instead of storing them.
public final class Backlog<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var dropped = 0
  }
  private let state = Mutex(State())
  private let limit: Int
  private let continuation: AsyncStream<Void>.Continuation
  /// A stream that yields a value after an element was added or dropped. Several elements can result in one value.
  /// ``end()`` finishes the stream.
  public let signals: AsyncStream<Void>

  /// Creates an empty backlog that stores at most `limit` elements.
  public init(limit: Int) {
    self.limit = limit
    (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Appends an element if the backlog has room for it. Otherwise counts the element as dropped.
  public func add(_ element: Element) {
    state.withLock { state in
      if state.elements.count < limit { state.elements.append(element) } else { state.dropped += 1 }
    }
    continuation.yield()
  }

  /// Removes and returns all elements. Also returns the number of elements that were dropped since the last call of
  /// this method.
  public func take() -> (elements: [Element], dropped: Int) {
    state.withLock { state in
      defer { state = State() }
      return (state.elements, state.dropped)
    }
  }

  /// Finishes the stream ``signals``. The elements in the backlog can still be removed.
  public func end() { continuation.finish() }
}
