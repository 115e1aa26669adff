import Exploration
import Instruments

/// Closures that send an event to a source, or cancel the source.
struct SourceControls {
  /// A closure that sends an event to the source.
  let add: () -> Void
  /// A closure that cancels the source.
  let cancel: () -> Void
}

/// A queue for a source that is cancelled during its first handler call, and a record of the handler calls.
final class SourceLife: @unchecked Sendable {
  let queue = DispatchQueue(label: "events")
  private let hasBegun = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private var log = CallLog()
  private var completed = 0

  /// Records a call of the event handler. The first call waits until the probe has cancelled the source.
  func received(_ data: UInt) {
    log.begins()
    if log.calls == 1 {
      hasBegun.signal()
      mayEnd.wait()
    }
    completed += 1
    if log.ends > 0 { Execution.breaks("the handler ends after the cancel handler") }
  }

  /// Records a call of the cancellation handler.
  func cancelHandler() { log.ends += 1 }

  fileprivate func awaitHandler() { hasBegun.wait() }
  /// Records that the cancellation of the source has returned.
  func cancelReturned() { log.isCancelled = true }
  fileprivate func release() { mayEnd.signal() }

  fileprivate func judge() {
    log.judge()
    if completed != log.calls { Execution.breaks("a handler is cut short") }
  }
}

/// A queue for a source whose event handler sends the source a further event, and a record of the handler calls.
final class BusySource: @unchecked Sendable {
  let queue = DispatchQueue(label: "events")
  private var log = CallLog()

  /// Records a call of the event handler.
  func handlerBegan() { log.begins() }

  /// Records a call of the cancellation handler.
  func ended() { log.ends += 1 }

  /// Records that the cancellation of the source has returned.
  func cancelReturned() { log.isCancelled = true }
  fileprivate func judge() { log.judge() }
}

/// A record of the calls of a source's handlers.
private struct CallLog {
  var calls = 0
  var ends = 0
  var isCancelled = false

  /// Records that a call of the event handler begins.
  mutating func begins() {
    calls += 1
    if isCancelled { Execution.breaks("a handler begins after cancel has returned") }
    if ends > 0 { Execution.breaks("a handler begins after the cancel handler") }
  }

  func judge() { if ends != 1 { Execution.breaks("the cancel handler ran \(ends) times") } }
}

/// The object to which the context of a source points.
final class SourceContext: @unchecked Sendable {
  private var frees = 0

  /// An unretained pointer to the object, for the source's context.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Returns the object to which a pointer refers, or a new object if the pointer is nil.
  static func at(_ context: UnsafeMutableRawPointer?) -> SourceContext {
    guard let context else { return SourceContext() }
    return Unmanaged<SourceContext>.fromOpaque(context).takeUnretainedValue()
  }

  /// Uses the object at the beginning and at the end of a handler call. A use of a freed object is a broken promise.
  func use() {
    touch()
    Execution.step("the handler uses its context again")
    touch()
  }

  private func touch() { if frees > 0 { Execution.breaks("the handler uses a context that was freed") } }

  /// Records that the object is freed.
  func free() {
    Execution.note("frees the context")
    frees += 1
  }

  fileprivate func judge() { if frees != 1 { Execution.breaks("the context was freed \(frees) times") } }
}

// A source that is used with Dispatch's C functions. Swift retains the source, so a call of `gcdlab_dispatch_release`
// has no effect.

final class FunctionSource: @unchecked Sendable {
  fileprivate let source: ModelSource
  fileprivate var context: UnsafeMutableRawPointer?
  fileprivate init(queue: ModelQueue) { source = ModelSource(queue: queue) }
}

typealias SourceFunction = @Sendable (UnsafeMutableRawPointer?) -> Void

func gcdlab_dispatch_source_create(
  _ type: UnsafeRawPointer, _ handle: UInt, _ mask: UInt, _ queue: ModelQueue
) -> FunctionSource { FunctionSource(queue: queue) }

func gcdlab_dispatch_set_context(_ source: FunctionSource, _ context: UnsafeMutableRawPointer) {
  source.context = context
}

func gcdlab_dispatch_source_set_event_handler_f(_ source: FunctionSource, _ function: @escaping SourceFunction) {
  source.source.setEventHandler { function(source.context) }
}

func gcdlab_dispatch_source_set_cancel_handler_f(_ source: FunctionSource, _ function: @escaping SourceFunction) {
  source.source.setCancelHandler { function(source.context) }
}

func gcdlab_dispatch_source_merge_data(_ source: FunctionSource, _ data: UInt) { source.source.add(data: data) }
func gcdlab_dispatch_resume(_ source: FunctionSource) { source.source.activate() }
func gcdlab_dispatch_source_cancel(_ source: FunctionSource) { source.source.cancel() }
func gcdlab_dispatch_release(_ source: FunctionSource) {}

extension SourceLifecycle {
  private static let others = "only the handlers and the cancellation of a custom source are modelled"

  static let exploration = Self.explored(
    [
      "starts-suspended": others, "suspend-coalesces": others, "suspended-read": others, "waiting-read": others,
      "retarget": others,
      "queue-retained": others, "queue-retained-timer": others, "released-while-pending": others,
      "retain-cycle": others, "release-inactive": others, "release-cancelled-suspended": others,
    ], settings: ["repeats": .integer(1), "events": .integer(1)],
    // The claim about this variant contradicts the Concurrency Programming Guide.
    alsoBroken: ["cancel-beside"],
    leavesOut:
      "A source delivers at most three handler calls. The check whether a source is cancelled and the call of its handler are two steps, "
      + "since the documents do not say that they are one step.")

  // The files that declare these variants are not compiled in this module.
  var suspension: [Variant] { [] }
  var targeting: [Variant] { [] }
  var releasing: [Variant] { [] }

  var cancelWhileRunning: Probe<@Sendable (SourceLife) -> SourceControls> {
    Probe { _, make in
      let life = SourceLife()
      let source = make(life)
      source.add()
      life.awaitHandler()
      source.add()
      source.cancel()
      life.cancelReturned()
      source.add()
      life.release()
      Execution.settle()
      life.judge()
    }
  }

  func cancelUntilLate() -> Probe<@Sendable (BusySource) -> SourceControls> { cancelManyTimes }

  /// A probe that cancels a source with a pending event. The schedules cancel the source at different points of its
  /// handler calls.
  var cancelManyTimes: Probe<@Sendable (BusySource) -> SourceControls> {
    Probe { _, make in
      let busy = BusySource()
      let source = make(busy)
      source.add()
      source.cancel()
      busy.cancelReturned()
      Execution.settle()
      busy.judge()
    }
  }

  /// Returns a probe that cancels a source with a pending event and a context. The schedules cancel the source at
  /// different points of its handler calls.
  func cancelInUse() -> Probe<@Sendable (SourceContext, _ queue: ModelQueue) -> SourceControls> {
    Probe { _, make in
      let context = SourceContext()
      let source = make(context, ModelQueue(label: "events"))
      source.add()
      source.cancel()
      Execution.settle()
      context.judge()
      withExtendedLifetime(context) {}
    }
  }
}
