import Synchronization

/// What waits to be shown, in a bounded number: where showing does not keep up, what is too much is counted and not
/// kept.
public final class Backlog<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var dropped = 0
  }
  private let state = Mutex(State())
  private let limit: Int
  private let ringing: AsyncStream<Void>.Continuation
  /// Rings when there is something to take, and ends with ``end()``.
  public let bell: AsyncStream<Void>

  /// An empty backlog of at most `limit` elements.
  public init(limit: Int) {
    self.limit = limit
    (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an element where there is room, or counts it.
  public func add(_ element: Element) {
    state.withLock { state in
      if state.elements.count < limit { state.elements.append(element) } else { state.dropped += 1 }
    }
    ringing.yield()
  }

  /// Takes all elements, and how many there were behind them that were not kept.
  public func take() -> (elements: [Element], dropped: Int) {
    state.withLock { state in
      defer { state = State() }
      return (state.elements, state.dropped)
    }
  }

  /// Nothing more is added; what is there can still be taken.
  public func end() { ringing.finish() }
}
