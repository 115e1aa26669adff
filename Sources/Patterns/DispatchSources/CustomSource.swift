import Dispatch
import Laboratory

/// What does a handler learn of news that comes faster than it runs?
///
/// The document names the custom source as the kind that the program triggers itself, and says of all kinds that what arrives
/// while the handler waits or runs is merged. It has no listing; this is what its C functions come to:
///
/// ```c
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
/// dispatch_source_set_event_handler(source, ^{
///   progress += dispatch_source_get_data(source);
/// });
/// dispatch_resume(source);
/// // wherever there is news, from any thread
/// dispatch_source_merge_data(source, 1);
/// ```
///
/// The news of a burst is merged while the handler surely waits, behind a block that holds its queue, or while it surely runs,
/// held in itself. A stream of news is merged with nothing in the way: how often the handler runs then is the machine's
/// affair.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "About Dispatch Sources", "Writing and Installing an Event
/// Handler".
struct CustomSource: Pattern {
  static let name = "custom-source"

  let burst = Setting.count("burst", 2...10_000, default: 200, "pieces of news while the handler is held back")
  let stream = Setting.count("stream", 3...1_000_000, default: 20_000, "pieces of news with nothing in the way")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(1), default: .zero, "how long the handler works on what it is told")

  let toldWhileWaiting = Metric.count(
    "told-while-waiting",
    "handler runs that a burst came to while the handler waited for its queue; the most of any burst")
  let toldWhileRunning = Metric.count(
    "told-while-running", "handler runs that a burst came to while the handler ran; the most of any burst")
  let inexact = Metric.count(
    "inexact", "bursts and streams of which the handler was not told the exact sum, mask or last value")
  let zerosTold = Metric.count("zeros-told", "handler runs that a burst of nothing but 0 came to")
  let lostBeforeZero = Metric.count("lost-before-zero", "pieces of news that were not told because a 0 came after them")
  let merges = Metric.count("merges", "pieces of news in the stream")
  let runs = Metric.count("runs", "handler runs that the stream came to")
  let mergesPerRun = Metric.rate(
    "merges-per-run", .none, better: .neither, "pieces of news a handler run in the stream")
  let cost = Metric.latency(
    "cost", "passing on one piece of news while the handler waits, timed a burst at a time")
  let streamCost = Metric.latency(
    "stream-cost", "passing on one piece of news while the handler may run, timed over the whole stream")
  let delivery = Metric.latency(
    "delivery", "from passing on a single piece, with nobody in the way, until the handler was done with it")
  let lag = Metric.latency("lag", "from the last piece of the stream until the handler was done with it")

  var problem: [any Declaration] { [work] }

  var variants: [Variant] {
    Variant("add", .documented, "a source that adds up what is merged") { trial in
      try tell(trial, .sum) { news in
        let source = DispatchSource.makeUserDataAddSource(queue: news.queue)
        source.setEventHandler { news.heard(source.data) }
        source.activate()
        return Sender(of: source) { pieces in pieces.each { source.add(data: $0) } }
      }
    }
    Variant("or", .documented, "a source that collects the bits of what is merged") { trial in
      try tell(trial, .mask) { news in
        let source = DispatchSource.makeUserDataOrSource(queue: news.queue)
        source.setEventHandler { news.heard(source.data) }
        source.activate()
        return Sender(of: source) { pieces in pieces.each { source.or(data: $0) } }
      }
    }
    Variant("replace", .documented, "a source that keeps the last of what is merged") { trial in
      try tell(trial, .last) { news in
        let source = DispatchSource.makeUserDataReplaceSource(queue: news.queue)
        source.setEventHandler { news.heard(source.data) }
        source.activate()
        return Sender(of: source) { pieces in pieces.each { source.replace(data: $0) } }
      }
    }
    Variant("add-c", .yardstick, "as add, by the functions of C") { trial in
      try tell(trial, .sum, on: FunctionQueue(label: "news")) { queue, news in
        let source = FunctionSource(adding: { news.heard($0) }, on: queue)
        return Sender { pieces in pieces.each { source.add(data: $0) } }
      }
    }
    Variant("async", .yardstick, "no source: a block for each piece of news") { trial in
      try tell(trial, .sum) { news in
        Sender { pieces in
          pieces.each { data in
            news.queue.async { news.heard(data) }
          }
        }
      }
    }
  }
}
