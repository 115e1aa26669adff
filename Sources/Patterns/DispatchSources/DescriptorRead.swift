import Dispatch
import Laboratory
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reading what comes in, whenever some comes in.
///
/// The document makes the descriptor non-blocking, asks the source how much there is, and reads that and one byte more:
///
/// ```c
/// int fd = open(filename, O_RDONLY);
/// fcntl(fd, F_SETFL, O_NONBLOCK);
/// dispatch_source_t readSource = dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, fd, 0, queue);
/// dispatch_source_set_event_handler(readSource, ^{
///   size_t estimated = dispatch_source_get_data(readSource) + 1;
///   char *buffer = (char *)malloc(estimated);
///   ssize_t actual = read(fd, buffer, estimated);
///   Boolean done = MyProcessFileData(buffer, actual);
///   free(buffer);
///   if (done) dispatch_source_cancel(readSource);
/// });
/// dispatch_source_set_cancel_handler(readSource, ^{ close(fd); });
/// dispatch_resume(readSource);
/// ```
///
/// Real bytes come through a pipe, from a connected socket, or out of a file, and each is compared with what was written
/// there. `reading.process` is the document's `MyProcessFileData`: it says whether it has all that it wants. Who writes is a
/// thread of its own, with writes that block.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Reading Data from a Descriptor", "Installing a Cancellation
/// Handler".
struct DescriptorRead: Pattern {
  static let name = "descriptor-read"

  let kind = Setting.choice("kind", default: DescriptorKind.pipe, "what is read from")
  let messages = Setting.count(
    "messages", 1...10_000, default: 100, "single bytes that are written to a quiet pipe or socket, one by one")
  let size = Setting.size(
    "size", 1...1_073_741_824, default: 4_194_304, "bytes that are written behind them as fast as they are read")
  let tail = Setting.size(
    "tail", 2...32_768, default: 16_384, "bytes that come while the handler runs, right before the writer closes")

  let latency = Metric.latency(
    "latency", unless: "a file has all its bytes from the start",
    "from just before a byte is written to a quiet descriptor until it was read")
  let throughput = Metric.rate(
    "throughput", .perSecond, unless: "bytes were lost", "bytes a second, from the first to the end of all")
  let lost = Metric.count("lost", in: .bytes, "bytes that were written and not read")
  let misplaced = Metric.count("misplaced", in: .bytes, "bytes that are not what was written in their place")
  let leftUnread = Metric.count(
    "left-unread", in: .bytes, "bytes that the handler did not come again for while the writer kept its end open")
  let beyondEstimate = Metric.count("beyond-estimate", "handler runs that could read more than was estimated")
  let runsAfterEnd = Metric.count(
    "runs-after-end", "handler runs behind the one that came to the end, as nobody cancels; 100 are enough")
  let runsAfterShutdown = Metric.count(
    "runs-after-shutdown", unless: "only a socket can be shut down",
    "the same when the writer has shut its side of a connection down, and not closed it; 100 are enough")
  let heldUp = Metric.count(
    "held-up", "blocks behind the handler in its queue that could not run while nothing was written")
  let strangersBytes = Metric.count(
    "strangers-bytes", in: .bytes, "bytes of somebody else's file that the handler took for its own")
  let closedStrangers = Metric.count("closed-strangers", "descriptors of other files that were closed")
  let leftOpen = Metric.count(
    "left-open", "descriptors of the trial's pipes, sockets and files that are open at its end")

  var problem: [any Declaration] { [messages, size] }

  var variants: [Variant] {
    Variant(
      "estimated", .documented, "reads as much as the source estimates, and one byte more",
      own: [beyondEstimate, leftUnread, tail]
    ) { trial in
      try readTail(trial) { descriptor, reading in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
        source.setEventHandler {
          let estimated = reading.expects(Int(source.data)) + 1
          withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
            let actual = read(descriptor, buffer.baseAddress, estimated)
            let done = reading.process(buffer.baseAddress, actual)
            if done { source.cancel() }
          }
        }
        source.setCancelHandler {
          close(descriptor)
          reading.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "drained", .modern, "reads until nothing is left (EAGAIN) or the end has come, whatever is estimated",
      own: streamed + [runsAfterEnd, runsAfterShutdown, heldUp, closedStrangers]
    ) { trial in
      try readWhole(trial, thenSilence: true) { descriptor, reading in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
        source.setEventHandler {
          withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            var actual = 0
            repeat {
              actual = read(descriptor, buffer.baseAddress, buffer.count)
              let done = reading.process(buffer.baseAddress, actual)
              if done { source.cancel() }
            } while actual > 0
          }
        }
        source.setCancelHandler {
          close(descriptor)
          reading.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "blocking-descriptor", .broken, "the same without O_NONBLOCK: it waits in read for what is still to come",
      own: [heldUp], without: [kind, misplaced]
    ) { trial in
      try readSilence(trial, from: .pipe) { descriptor, reading in
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
        source.setEventHandler {
          withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            var actual = 0
            repeat {
              actual = read(descriptor, buffer.baseAddress, buffer.count)
              let done = reading.process(buffer.baseAddress, actual)
              if done { source.cancel() }
            } while actual > 0
          }
        }
        source.setCancelHandler {
          close(descriptor)
          reading.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant(
      "closed-early", .broken, "its owner closes the descriptor and cancels then, while the handler is about to read",
      own: [strangersBytes], without: [kind, lost, misplaced]
    ) { trial in
      try readBesideStrangers(trial) { descriptor, reading in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
        source.setEventHandler {
          let estimated = reading.expects(Int(source.data)) + 1
          withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
            let actual = read(descriptor, buffer.baseAddress, estimated)
            reading.process(buffer.baseAddress, actual)
          }
        }
        source.setCancelHandler { reading.ended() }
        source.activate()
        return {
          // Its number goes to whoever opens a file next.
          close(descriptor)
          source.cancel()
        }
      }
    }
    Variant(
      "closed-in-handler", .documented, "its owner cancels, and the cancel handler closes the descriptor",
      own: [strangersBytes, closedStrangers], without: [kind, lost, misplaced]
    ) { trial in
      try readBesideStrangers(trial) { descriptor, reading in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
        source.setEventHandler {
          let estimated = reading.expects(Int(source.data)) + 1
          withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
            let actual = read(descriptor, buffer.baseAddress, estimated)
            reading.process(buffer.baseAddress, actual)
          }
        }
        source.setCancelHandler {
          close(descriptor)
          reading.ended()
        }
        source.activate()
        return { source.cancel() }
      }
    }
    Variant("blocking-read", .yardstick, "no source: a thread of its own that waits in read", own: streamed) { trial in
      try readWhole(trial) { descriptor, reading in
        try SystemThread {
          withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            var done = false
            while !done {
              let actual = read(descriptor, buffer.baseAddress, buffer.count)
              done = reading.process(buffer.baseAddress, actual)
            }
          }
          close(descriptor)
          reading.ended()
        }.detach()
        return {}
      }
    }
    Variant("dispatch-io", .modern, "a DispatchIO channel that reads the stream", own: streamed) { trial in
      try readWhole(trial) { descriptor, reading in
        let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: reading.queue) { _ in
          close(descriptor)
          reading.ended()
        }
        channel.setLimit(lowWater: 1)
        channel.read(offset: 0, length: .max, queue: reading.queue) { isLast, data, _ in
          for region in data?.regions ?? [] {
            region.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
              _ = reading.process(bytes.baseAddress, bytes.count)
            }
          }
          if isLast, reading.process(nil, 0) { channel.close() }
        }
        return {}
      }
    }
    Variant("async-bytes", .modern, "a task that loops over an AsyncStream of what a source drains", own: streamed) {
      trial in
      try readWhole(trial) { descriptor, reading in
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let chunks = AsyncStream<[UInt8]> { stream in
          let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: reading.queue)
          source.setEventHandler {
            var actual = 0
            repeat {
              let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                actual = read(descriptor, buffer.baseAddress, buffer.count)
                count = max(0, actual)
              }
              if actual > 0 { stream.yield(chunk) }
            } while actual > 0
            if actual == 0 { source.cancel() }
          }
          source.setCancelHandler {
            close(descriptor)
            stream.finish()
          }
          source.activate()
        }
        Task {
          for await chunk in chunks {
            chunk.withUnsafeBytes { bytes in _ = reading.process(bytes.baseAddress, bytes.count) }
          }
          reading.process(nil, 0)
          reading.ended()
        }
        return {}
      }
    }
  }

  /// What the variants use that are put through all that is written.
  private var streamed: [any Declaration] { [messages, size, latency, throughput] }
}
