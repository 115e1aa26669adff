import Dispatch
import Laboratory
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writing whenever there is room, to somebody who reads slowly.
///
/// The document's handler is called to get a chance to write, and cancels when it has:
///
/// ```c
/// int fd = open(filename, O_WRONLY | O_CREAT | O_TRUNC, …);
/// fcntl(fd, F_SETFL);  // Block during the write.
/// dispatch_source_t writeSource = dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE, fd, 0, queue);
/// dispatch_source_set_event_handler(writeSource, ^{
///   size_t bufferSize = MyGetDataSize();
///   void *buffer = malloc(bufferSize);
///   size_t actual = MyGetData(buffer, bufferSize);
///   write(fd, buffer, actual);
///   free(buffer);
///   dispatch_source_cancel(writeSource);
/// });
/// dispatch_source_set_cancel_handler(writeSource, ^{ close(fd); });
/// dispatch_resume(writeSource);
/// ```
///
/// Its text says that the descriptor must never block, its listing lets it. Both are here. What `write` took counts as
/// written, and the handler cancels when all is. `writing.next` is the document's `MyGetData`: it hands over what is still to
/// be written, and says whether nothing is left.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Writing Data to a Descriptor".
struct DescriptorWrite: Pattern {
  static let name = "descriptor-write"

  let kind = Setting.choice("kind", default: DescriptorKind.pipe, "what is written to")
  let size = Setting.size("size", 1...1_073_741_824, default: 1_048_576, "bytes to write")
  let piece = Setting.size("piece", 1...1_048_576, default: 16_384, "bytes that the reader takes at a time")
  let pause = Setting.duration(
    "pause", .zero ... .milliseconds(10), default: .microseconds(20), "how long the reader rests between two pieces")
  let rooms = Setting.count("rooms", 1...1000, default: 10, "how often room is made in what is full")

  let inWrite = Metric.latency("in-write", "the time inside each write, while the reader is slow")
  let latency = Metric.latency(
    "latency", unless: "a file always has room", "from just before room is made in what is full until the handler runs")
  let lost = Metric.count("lost", in: .bytes, "bytes that were not there to read when the writer had closed")
  let misplaced = Metric.count("misplaced", in: .bytes, "bytes that are not what was to be written in their place")
  let heldUp = Metric.count("held-up", "blocks behind the handler in its queue that could not run while nobody read")
  let runsWhileFull = Metric.count(
    "runs-while-full", unless: "a file always has room", "handler runs that found no room at all")
  let unanswered = Metric.count(
    "unanswered", unless: "a file always has room", "times that room was made and the handler did not run")
  let told = Metric.count("told", in: .bytes, "what the source's data said when nothing had been written yet")
  let taken = Metric.count("taken", in: .bytes, "bytes that were taken then, before there was no room any more")
  let toldLater = Metric.count(
    "told-later", in: .bytes, unless: "a file always has room",
    "the most that it said in later runs, when some of that was still there")
  let toldOfGone = Metric.count(
    "told-of-gone", unless: "a file has no reader that could go", "1 when the handler ran since the reader was gone")
  let spins = Metric.count(
    "spins", unless: "a file has no reader that could go",
    "1 when a thread of Dispatch kept a core busy since the reader was gone, and nothing happened")
  let leftOpen = Metric.count(
    "left-open", "descriptors of the trial's pipes, sockets and files that are open at its end")

  var problem: [any Declaration] { [size] }

  var variants: [Variant] {
    Variant(
      "source", .documented, "a source of a non-blocking descriptor: writes what there is room for",
      own: [rooms, latency, heldUp, runsWhileFull, unanswered, told, taken, toldLater, toldOfGone, spins, inWrite]
    ) { trial in
      try writeWhole(trial, then: .room) { descriptor, writing in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: writing.queue)
        source.setEventHandler {
          writing.isTold(room: Int(source.data))
          let done = writing.next { data in write(descriptor, data.baseAddress, data.count) }
          if done { source.cancel() }
        }
        source.setCancelHandler {
          close(descriptor)
          writing.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "blocking-write", .broken, "as in the document's listing: the descriptor blocks, and write waits for room",
      own: [heldUp, inWrite]
    ) { trial in
      try writeWhole(trial, then: .full) { descriptor, writing in
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: writing.queue)
        source.setEventHandler {
          let done = writing.next { data in write(descriptor, data.baseAddress, data.count) }
          if done { source.cancel() }
        }
        source.setCancelHandler {
          close(descriptor)
          writing.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant("one-write", .broken, "the listing with a descriptor that does not block: writes once, and cancels") {
      trial in
      try writeWhole(trial) { descriptor, writing in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: writing.queue)
        source.setEventHandler {
          _ = writing.next { data in write(descriptor, data.baseAddress, data.count) }
          source.cancel()
        }
        source.setCancelHandler {
          close(descriptor)
          writing.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant("dispatch-io", .modern, "a DispatchIO channel that is given all at once") { trial in
      try writeWhole(trial) { descriptor, writing in
        let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: writing.queue) { _ in
          close(descriptor)
          writing.ended()
        }
        channel.write(offset: 0, data: writing.all, queue: writing.queue) { isLast, _, error in
          if isLast, error != 0 { writing.failed(error) }
          if isLast { channel.close() }
        }
        return {}
      }
    }
  }
}
