/// A model of a custom dispatch source of the kind data add. Events coalesce, handlers run on the source's queue, and
/// the cancellation is asynchronous.
///
/// A call of the event handler consists of two steps: the check whether the source is cancelled, and the call itself.
/// Dispatch's documentation does not exclude that other threads make steps between the check and the call.
public final class ModelSource: @unchecked Sendable {
  /// The maximum number of calls of the event handler. Later events stay pending, since an event handler that sends its
  /// source an event would make an execution endless.
  static let mostCalls = 3

  private let execution = Execution.now
  private let object: Int
  private let queue: ModelQueue
  private var eventHandler: (() -> Void)?
  private var cancelHandler: (() -> Void)?
  private var pending: UInt = 0
  private var calls = 0
  private var isActive = false
  private var isCancelled = false
  private var hasEnded = false
  /// Whether the source is enqueued or running on its queue.
  private var isQueued = false

  /// The sum of the data that the current handler call reports.
  public private(set) var data: UInt = 0

  /// Creates an inactive source.
  ///
  /// - Parameter queue: the queue on which the handlers run.
  public init(queue: ModelQueue) {
    object = execution.makeObject()
    self.queue = queue
    execution.atEnd { [weak self] in self?.releaseHandlers() }
  }

  /// Sets the event handler of an inactive source.
  public func setEventHandler(handler: @escaping () -> Void) { eventHandler = handler }
  /// Sets the cancellation handler of an inactive source.
  public func setCancelHandler(handler: @escaping () -> Void) { cancelHandler = handler }

  /// Activates the source.
  public func activate() {
    execution.step(self.footprint, "activates the source")
    execution.describe("activates the source")
    isActive = true
    submit()
  }

  /// Adds `data` to the pending data.
  public func add(data: UInt) {
    execution.step(self.footprint, "sends the source an event")
    execution.describe("sends the source an event")
    pending += data
    submit()
  }

  /// Cancels the source asynchronously.
  public func cancel() {
    execution.step(self.footprint, "cancels the source")
    execution.describe("cancels the source, and returns")
    isCancelled = true
    submit()
  }

  private var footprint: Footprint { .changing([object] + queue.order) }

  /// Submits the source to its queue if an event or the cancellation is pending.
  private func submit() {
    let isDue = isCancelled ? !hasEnded : pending > 0 && calls < Self.mostCalls
    guard isActive, isDue, !isQueued else { return }
    isQueued = true
    queue.enqueue { [self] in invoke() }
  }

  private func invoke() {
    execution.step(self.footprint, "examines the source")
    if isCancelled {
      execution.describe("finds the source cancelled, and calls its cancel handler")
      hasEnded = true
      cancelHandler?()
      releaseHandlers()
    } else {
      execution.describe("finds the source not cancelled")
      execution.step(self.footprint, "calls the event handler")
      execution.describe("calls the event handler")
      calls += 1
      data = pending
      pending = 0
      eventHandler?()
    }
    execution.step(self.footprint, "leaves the source", silent: true)
    isQueued = false
    submit()
  }

  private func releaseHandlers() {
    eventHandler = nil
    cancelHandler = nil
  }
}
