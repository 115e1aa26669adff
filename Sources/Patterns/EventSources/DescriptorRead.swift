import Dispatch
import Instruments

/// How does a program read data as it arrives?
///
/// The example in the Concurrency Programming Guide opens a file, makes its descriptor non-blocking and creates a read
/// source for the descriptor. The event handler reads the source's estimate of the readable bytes, allocates a buffer
/// for one byte more than the estimate, and reads once. A function of the program processes the bytes and returns
/// whether all required bytes have been read; if so, the handler cancels the source. The cancellation handler closes
/// the descriptor. The variant `estimated` contains that code.
///
/// The bytes in a trial are real: they arrive through a pipe, from a connected socket, or out of a file, and the trial
/// compares each byte with the byte written at the same position. `received.process` is the program's function: it
/// returns whether all required bytes have been read. The writes of a trial block while the pipe or socket is full.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Reading Data from a Descriptor", "Installing a
/// Cancellation Handler".
struct DescriptorRead: Pattern {
  static let name = "descriptor-read"

  let kind = Parameter.choice("kind", default: DescriptorKind.pipe, "kind of descriptor to read from")
  let messages = Parameter.count(
    "messages", 1...10_000, default: 100,
    "single bytes written to an empty pipe or socket, one by one, each of which is timed")
  let size = Parameter.size(
    "size", 1...1_073_741_824, default: 4_194_304, "bytes written after the single bytes, as fast as they are read")
  let tail = Parameter.size(
    "tail", 2...32_768, default: 16_384, "bytes that arrive while the handler runs, right before the writer closes")

  let latency = Metric.latency(
    "latency", missingIf: "a file has all its bytes from the start",
    "from just before a byte is written to an empty pipe or socket until it has been read")
  let throughput = Metric.rate(
    "throughput", .bytesPerSecond, missingIf: "bytes were lost", "bytes read per second")
  let lost = Metric.count("lost", in: .bytes, "bytes that were written and never read")
  let corrupted = Metric.count("corrupted", in: .bytes, "bytes that differ from what was written at their position")
  let leftUnread = Metric.count(
    "left-unread", in: .bytes, "bytes for which the handler was not called again while the writer kept its end open")
  let beyondEstimate = Metric.count(
    "beyond-estimate", "handler calls that could read more bytes than the source estimated")
  let callsAfterEnd = Metric.count(
    "calls-after-end",
    "handler calls after the one that reached the end, with the source not cancelled; counted up to 100")
  let callsAfterShutdown = Metric.count(
    "calls-after-shutdown", missingIf: "only a socket can be shut down",
    "handler calls after the end when the writer has shut down its side of a connection, not closed it; counted up to 100"
  )
  let queueBlocked = Metric.count(
    "queue-blocked", "blocks queued behind the handler that could not run while nothing was written")
  let unrelatedBytes = Metric.count(
    "unrelated-bytes", in: .bytes, "bytes that the handler read from an unrelated file")
  let unrelatedClosed = Metric.count("unrelated-closed", "descriptors of unrelated files that were closed")
  let leftOpen = Metric.count(
    "left-open", "descriptors of the trial's pipes, sockets and files that are still open at its end")

  var problem: [any Declaration] { [kind, messages, size] }

  var variants: [Variant] {
    Variant(
      "estimated", .documented, "a read source: reads as much as the source estimates, and one byte more", readTail
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        let estimated = received.expects(Int(source.data)) + 1
        withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
          let actual = read(descriptor, buffer.baseAddress, estimated)
          let done = received.process(buffer.baseAddress, actual)
          if done { source.cancel() }
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "drained", .modern, "a read source: reads until EAGAIN or the end, whatever the source estimates",
      readWholeThenSilence
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var actual = 0
          repeat {
            actual = read(descriptor, buffer.baseAddress, buffer.count)
            let done = received.process(buffer.baseAddress, actual)
            if done { source.cancel() }
          } while actual > 0
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    // The body of `drained`, repeated so that `explain --code` shows it.
    Variant(
      "drained-tcp", .modern, "as drained, from a local TCP connection whose other end is closed",
      readClosedConnection
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var actual = 0
          repeat {
            actual = read(descriptor, buffer.baseAddress, buffer.count)
            let done = received.process(buffer.baseAddress, actual)
            if done { source.cancel() }
          } while actual > 0
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "blocking-descriptor", .broken, "as drained, but without O_NONBLOCK: waits in read for more data", readSilence
    ) { descriptor, received in
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var actual = 0
          repeat {
            actual = read(descriptor, buffer.baseAddress, buffer.count)
            let done = received.process(buffer.baseAddress, actual)
            if done { source.cancel() }
          } while actual > 0
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "blocking-concurrent", .broken,
      "as blocking-descriptor, on a concurrent queue: as many handlers wait in read as there are cores",
      readSilenceOnAllCores
    ) { descriptor, received in
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var actual = 0
          repeat {
            actual = read(descriptor, buffer.baseAddress, buffer.count)
            let done = received.process(buffer.baseAddress, actual)
            if done { source.cancel() }
          } while actual > 0
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "closed-early", .broken,
      "a read source: its owner closes the descriptor, then cancels, while the handler is about to read",
      readWithReusedDescriptor(handlerCloses: false)
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        let estimated = received.expects(Int(source.data)) + 1
        withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
          let actual = read(descriptor, buffer.baseAddress, estimated)
          received.process(buffer.baseAddress, actual)
        }
      }
      source.setCancelHandler { received.ended() }
      source.activate()
      return {
        // The next file that is opened receives this descriptor number.
        close(descriptor)
        source.cancel()
      }
    }
    Variant(
      "closed-in-handler", .documented,
      "a read source: its owner cancels, and the cancellation handler closes the descriptor",
      readWithReusedDescriptor(handlerCloses: true)
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        let estimated = received.expects(Int(source.data)) + 1
        withUnsafeTemporaryAllocation(byteCount: estimated, alignment: 1) { buffer in
          let actual = read(descriptor, buffer.baseAddress, estimated)
          received.process(buffer.baseAddress, actual)
        }
      }
      source.setCancelHandler {
        close(descriptor)
        received.ended()
      }
      source.activate()
      return { source.cancel() }
    }
    Variant(
      "blocking-read", .yardstick, "no source: a dedicated thread that waits in read", readWhole
    ) { descriptor, received in
      try SystemThread {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var done = false
          while !done {
            let actual = read(descriptor, buffer.baseAddress, buffer.count)
            done = received.process(buffer.baseAddress, actual)
          }
        }
        close(descriptor)
        received.ended()
      }.detach()
      return {}
    }
    Variant("dispatch-io", .modern, "a DispatchIO stream channel", readWhole) { descriptor, received in
      let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: received.queue) { _ in
        close(descriptor)
        received.ended()
      }
      channel.setLimit(lowWater: 1)
      channel.read(offset: 0, length: .max, queue: received.queue) { isLast, data, _ in
        for region in data?.regions ?? [] {
          region.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            _ = received.process(bytes.baseAddress, bytes.count)
          }
        }
        if isLast, received.process(nil, 0) { channel.close() }
      }
      return {}
    }
    Variant(
      "async-bytes", .modern, "a Swift task that iterates over an AsyncStream fed by a read source", readWhole
    ) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let chunks = AsyncStream<[UInt8]> { stream in
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
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
          chunk.withUnsafeBytes { bytes in _ = received.process(bytes.baseAddress, bytes.count) }
        }
        received.process(nil, 0)
        received.ended()
      }
      return {}
    }
  }
}
