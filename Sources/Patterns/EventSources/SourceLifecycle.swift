import Instruments

/// When and where do the handlers of a source run, from its creation to its cancellation, and what frees its resources?
///
/// The pattern has four lessons. Each lesson has its own file, such as `SourceLifecycle+Queue.swift`, and its measuring
/// code is in a further file, such as `SourceLifecycle+QueueTrials.swift`. The lessons form one pattern because their
/// claims belong to one scenario.
///
/// Most sources in a trial are custom sources, so that the trial determines when an event arrives. The trial holds the
/// running handler while the source is cancelled, and holds the queue while the target queue of the source is changed.
///
/// Source: Concurrency Programming Guide, Dispatch Sources.
struct SourceLifecycle: Pattern {
  static let name = "source-lifecycle"

  let repeats = Parameter.count("repeats", 1...1000, default: 30, "sources per trial, one after the other")
    .ofMeasurement
  let events = Parameter.count("events", 1...10_000, default: 100, "events sent while a source is held back")

  let callsWhileSuspended = Metric.count(
    "calls-while-suspended", "handler calls while the source was inactive or suspended, or its queue held")
  let handlerCalls = Metric.count(
    "handler-calls",
    "handler calls that delivered the pending events once the source was no longer held back; the maximum over sources")
  let wrongSums = Metric.count("wrong-sums", "sources whose data did not add up to the number of events sent")
  let resumeToRun = Metric.latency(
    "resume-to-run", missingIf: "a handler call began earlier",
    "from activate or resume, or from the release of the queue, until the handler begins")
  let shortEstimates = Metric.count(
    "short-estimates", "read sources whose first handler call got a smaller estimate than there were bytes")
  let beganAfterCancel = Metric.count("began-after-cancel", "handler calls that began after cancel had returned")
  let sourcesCancelled = Metric.count(
    "sources-cancelled", "sources that were cancelled; if a call began late, it was a call of the last source")
  let cutShort = Metric.count(
    "cut-short", "handlers that were running when their source was cancelled and did not finish")
  let cancelHandlerNotOnce = Metric.count(
    "cancel-handler-not-once", "sources whose cancel handler did not run exactly once")
  let ranAfterCancelHandler = Metric.count(
    "ran-after-cancel-handler", "sources whose event handler ran after the cancel handler had begun")
  let toCancelHandler = Metric.latency(
    "to-cancel-handler", "from the end of the last handler call until the cancel handler begins")
  let ranOnNewQueue = Metric.count(
    "ran-on-new-queue", "handlers that were pending on the old target queue and ran on the new one")
  let ranElsewhere = Metric.count("ran-elsewhere", "handler calls on neither the old nor the new target queue")
  let useAfterFree = Metric.count("use-after-free", "handlers that used the context after it was freed")
  let notFreedOnce = Metric.count("not-freed-once", "contexts that were leaked or freed more than once")
  let queueFreedEarly = Metric.count(
    "queue-freed-early", "queues that were freed before their source, or did not run its handler")
  let queueLeaked = Metric.count("queue-leaked", "queues that were not freed after their source had been released")
  let handlerRan = Metric.count(
    "handler-ran", "sources whose pending handler ran although the program held no reference to the source")

  var variants: [Variant] {
    suspension
    cancellation
    targeting
    releasing
  }
}
