import Dispatch
import Instruments

/// What data does a handler receive if events arrive faster than it runs?
///
/// The Concurrency Programming Guide lists the custom source as the type of source that the program triggers itself.
/// For all types, the guide states that events are merged if they arrive while the handler waits or runs. The guide has
/// no listing for a custom source. In C, the calls are:
///
/// ```c
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
/// dispatch_source_set_event_handler(source, ^{
///   progress += dispatch_source_get_data(source);
/// });
/// dispatch_resume(source);
/// // for each event, on any thread
/// dispatch_source_merge_data(source, 1);
/// ```
///
/// A trial sends bursts of events in two states: while a block occupies the handler's queue, and while a handler call
/// is held. A trial also sends a stream of events. Only the first two events of the stream are sent while a block
/// occupies the queue, so the number of handler calls for the stream depends on the machine.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "About Dispatch Sources", "Writing and Installing an Event
/// Handler".
struct CustomSource: Pattern {
  static let name = "custom-source"

  let burst = Parameter.count("burst", 2...10_000, default: 200, "events sent while the handler is held back")
  let stream = Parameter.count("stream", 3...1_000_000, default: 20_000, "events sent in one stream")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(1), default: .zero, "how long the handler works in each call")

  let handlerCallsPerBurst = Metric.count(
    "handler-calls-per-burst",
    "handler calls for a burst that arrived while the handler waited for its queue; the maximum over bursts")
  let handlerCallsWhileRunning = Metric.count(
    "handler-calls-while-running",
    "further handler calls for a burst that arrived while the handler was running; the maximum over bursts")
  let inexact = Metric.count(
    "inexact", "bursts and streams of which the handler did not receive the exact sum, mask or last value")
  let zerosDelivered = Metric.count("zeros-delivered", "handler calls for a burst in which every value was 0")
  let lostBeforeZero = Metric.count("lost-before-zero", "values that were never delivered because a 0 came after them")
  let merges = Metric.count("merges", "events sent in the stream")
  let handlerCalls = Metric.count("handler-calls", "handler calls for the whole stream")
  let mergesPerCall = Metric.rate(
    "merges-per-call", .none, better: .neither, "events per handler call in the stream")
  let cost = Metric.latency(
    "cost", "sending one event while the handler waits, timed per burst")
  let streamCost = Metric.latency(
    "stream-cost", "sending one event while the handler may run, timed over the whole stream")
  let delivery = Metric.latency(
    "delivery", "from sending a single event, with no other event pending, until its handler call has ended")
  let lag = Metric.latency("lag", "from the last event of the stream until its handler call has ended")

  var problem: [any Declaration] { [work] }

  var variants: [Variant] {
    Variant("add", .documented, "a custom source that adds up the merged values", deliver(.sum)) { events in
      let source = DispatchSource.makeUserDataAddSource(queue: events.queue)
      source.setEventHandler { events.received(source.data) }
      source.activate()
      return Sender(of: source) { pieces in pieces.each { source.add(data: $0) } }
    }
    Variant(
      "or", .documented, "a custom source that combines the bits of the merged values", deliver(.mask)
    ) { events in
      let source = DispatchSource.makeUserDataOrSource(queue: events.queue)
      source.setEventHandler { events.received(source.data) }
      source.activate()
      return Sender(of: source) { pieces in pieces.each { source.or(data: $0) } }
    }
    Variant("replace", .documented, "a custom source that keeps the last merged value", deliver(.last)) { events in
      let source = DispatchSource.makeUserDataReplaceSource(queue: events.queue)
      source.setEventHandler { events.received(source.data) }
      source.activate()
      return Sender(of: source) { pieces in pieces.each { source.replace(data: $0) } }
    }
    Variant("add-c", .yardstick, "as add, with the C functions", deliverByFunctions(.sum)) { queue, events in
      let source = FunctionSource(adding: { events.received($0) }, on: queue)
      return Sender { pieces in pieces.each { source.add(data: $0) } }
    }
    Variant("async", .yardstick, "no source: an async block for each event", deliver(.sum)) { events in
      Sender { pieces in
        pieces.each { data in
          events.queue.async { events.received(data) }
        }
      }
    }
  }
}
