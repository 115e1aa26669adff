import Dispatch
import Instruments

/// How does a program write to a slow reader as space in the buffer becomes available?
///
/// The example in the Concurrency Programming Guide opens a file and creates a write source for its descriptor. The
/// event handler requests data from a function of the program, writes once, and cancels the source; the cancellation
/// handler closes the descriptor. The text of the guide requires a non-blocking descriptor, but the example leaves the
/// descriptor in blocking mode. The variant `source` follows the text, and `blocking-write` follows the example.
///
/// In a trial, only the bytes that `write` accepted count as written, and the handler of `source` cancels the source
/// once all bytes are written. `outgoing.next` is the program's function: it passes the remaining bytes to a closure,
/// and returns whether the writing has ended.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Writing Data to a Descriptor".
struct DescriptorWrite: Pattern {
  static let name = "descriptor-write"

  let kind = Parameter.choice("kind", default: DescriptorKind.pipe, "kind of descriptor to write to")
  let size = Parameter.size("size", 1...1_073_741_824, default: 1_048_576, "bytes to write")
  let readSize = Parameter.size("read-size", 1...1_048_576, default: 16_384, "bytes that the reader reads at a time")
  let pause = Parameter.duration(
    "pause", .zero ... .milliseconds(10), default: .microseconds(20), "how long the reader pauses between two reads")
  let frees = Parameter.count("frees", 1...1000, default: 10, "how often a trial frees space in a full pipe or socket")

  let writeTime = Metric.latency("write-time", "time spent in each call of write, while the reader is slow")
  let latency = Metric.latency(
    "latency", missingIf: "a file always has space",
    "from just before space is freed in a full pipe or socket until the handler is called")
  let lost = Metric.count("lost", in: .bytes, "bytes that never arrived, although the writer had closed")
  let corrupted = Metric.count(
    "corrupted", in: .bytes, "bytes that differ from what was to be written at their position")
  let queueBlocked = Metric.count(
    "queue-blocked", "blocks queued behind the handler that could not run while the reader did not read")
  let callsWhileFull = Metric.count(
    "calls-while-full", missingIf: "a file always has space", "handler calls in which write accepted nothing")
  let missedCalls = Metric.count(
    "missed-calls", missingIf: "a file always has space", "times that space was freed and the handler was not called")
  let unreportedSpace = Metric.count(
    "unreported-space", in: .bytes, missingIf: "a file always has space",
    "bytes that write accepted without a call of the handler, after half of the bytes in a full pipe or socket were read"
  )
  let sourceData = Metric.count(
    "source-data", in: .bytes, "available space according to the source's data, in the first handler call")
  let accepted = Metric.count(
    "accepted", in: .bytes, "bytes that write accepted before the pipe, socket or file was full")
  let laterSourceData = Metric.count(
    "later-source-data", in: .bytes, missingIf: "a file always has space",
    "available space according to the source's data in later handler calls, with bytes still to be read; the maximum")
  let notifiedOfClose = Metric.count(
    "notified-of-close", missingIf: "a file has no reader that could close",
    "1 if the handler was called after the reader had closed")
  let busyLoop = Metric.count(
    "busy-loop", missingIf: "a file has no reader that could close",
    "1 if a Dispatch thread kept a core busy after the reader had closed, without calling the handler")
  let leftOpen = Metric.count(
    "left-open", "descriptors of the trial's pipes, sockets and files that are still open at its end")

  var problem: [any Declaration] { [kind, size, pause] }

  var variants: [Variant] {
    Variant(
      "source", .documented, "a write source on a non-blocking descriptor: writes what fits", writeWhole(then: .room)
    ) { descriptor, outgoing in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: outgoing.queue)
      source.setEventHandler {
        outgoing.notes(available: Int(source.data))
        let done = outgoing.next { data in write(descriptor, data.baseAddress, data.count) }
        if done { source.cancel() }
      }
      source.setCancelHandler {
        close(descriptor)
        outgoing.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "blocking-write", .broken, "the document's listing: the descriptor is blocking, and write waits for space",
      writeWhole(then: .full)
    ) { descriptor, outgoing in
      let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: outgoing.queue)
      source.setEventHandler {
        let done = outgoing.next { data in write(descriptor, data.baseAddress, data.count) }
        if done { source.cancel() }
      }
      source.setCancelHandler {
        close(descriptor)
        outgoing.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "one-write", .broken, "the listing with a non-blocking descriptor: writes once, then cancels",
      writeWhole(readLast: true)
    ) { descriptor, outgoing in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: outgoing.queue)
      source.setEventHandler {
        _ = outgoing.next { data in write(descriptor, data.baseAddress, data.count) }
        source.cancel()
      }
      source.setCancelHandler {
        close(descriptor)
        outgoing.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "dispatch-io", .modern, "a DispatchIO channel that receives all bytes at once", writeWhole()
    ) { descriptor, outgoing in
      let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: outgoing.queue) { _ in
        close(descriptor)
        outgoing.ended()
      }
      channel.write(offset: 0, data: outgoing.all, queue: outgoing.queue) { isLast, _, error in
        if isLast, error != 0 { outgoing.failed(error) }
        if isLast { channel.close() }
      }
      return {}
    }
  }
}
