import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A trial waits until all threads of its process sleep, and examines the descriptors of the process, so each trial has
/// a process of its own.
@Suite struct DescriptorReadTests {
  static let settings: [String: ParameterValue] = [
    "kind": .text("pipe"), "messages": .integer(3), "size": .integer(200_000),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = settings) async throws -> Attempt {
    try await Attempt(variant, of: DescriptorRead(), files: Catalogue.files, settings)
  }

  @Test func `a trial with a file records the throughput, but no latency`() async {
    await #expect(processExitsWith: .success) {
      let attempt = try await Self.attempt("drained", Self.settings.merging(["kind": .text("file")]) { $1 })
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.trial.observation.samples("latency") == nil)
      #expect(attempt.trial.observation.samples("throughput") != nil)
    }
  }

  @Test func `a trial without enough free descriptors is unavailable`() async {
    await #expect(processExitsWith: .success) {
      try leaveOneDescriptorFree()
      for variant in DescriptorRead().variants {
        let outcome = try await Self.attempt(variant.name).trial.outcome
        let opened = variant.name == "drained-tcp" ? "two TCP sockets" : "a pipe"
        #expect(
          outcome == .unavailable(reason: "cannot open \(opened): Too many open files"), "\(variant.name): \(outcome)")
      }
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 1000])
  func `a payload has the requested number of ASCII bytes, and its seed determines the bytes`(_ count: Int) {
    let bytes = payload(count, seed: 1)
    #expect(bytes.count == count && bytes.allSatisfy { $0 < 128 })
    #expect(bytes == payload(count, seed: 1))
    #expect(count < 7 || bytes != payload(count, seed: 2))
  }

  @Test func `bytes that differ and bytes beyond the expected end are counted`() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    func differing(_ others: [UInt8]) -> Int { bytes.withUnsafeBytes { Patterns.differing($0, from: others[...]) } }
    #expect(differing([1, 2, 3, 4]) == 0)
    #expect(differing([1, 0, 3, 0]) == 2)
    #expect(differing([1, 2]) == 2)
    #expect(differing([]) == 4)
    #expect(differing([1, 2, 3, 4, 5]) == 0)
  }

  @Test func `the end of reading waits for a handler that is running on a concurrent queue`() async {
    await #expect(processExitsWith: .success) {
      let received = ReceivedData(
        of: [], until: .cancelled, on: DispatchQueue(label: "reading", attributes: .concurrent))
      let ended = Gauge()
      try await onOwnThread {
        let isRunning = DispatchSemaphore(value: 0)
        received.queue.async {
          isRunning.signal()
          blockThread(for: .milliseconds(100))
          ended.up()
        }
        isRunning.wait()
        received.ended()
        try received.awaitEnd()
      }
      #expect(ended.now == 1)
    }
  }

  // MARK: Broken bodies

  /// Reads with a source that drains the descriptor.
  ///
  /// - Parameters:
  ///   - blocks: whether the handler blocks in `read`.
  ///   - take: a closure that receives the data that was read, as `ReceivedData.process` does.
  private static func drains(
    _ descriptor: Int32, _ received: ReceivedData, blocks: Bool = false,
    take: @escaping (ReceivedData, UnsafeMutableRawBufferPointer, Int) -> Bool = { $0.process($1.baseAddress, $2) },
    cancelled: @escaping () -> Void
  ) -> any DispatchSourceRead {
    if !blocks { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
    source.setEventHandler {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
        var actual = 0
        repeat {
          actual = read(descriptor, buffer.baseAddress, buffer.count)
          if take(received, buffer, actual) { source.cancel() }
        } while actual > 0
      }
    }
    source.setCancelHandler(handler: cancelled)
    source.activate()
    return source
  }

  /// Reads with a source that drains the descriptor. The cancellation handler closes the descriptor.
  private static func drains(
    _ descriptor: Int32, _ received: ReceivedData, blocks: Bool = false,
    take: @escaping (ReceivedData, UnsafeMutableRawBufferPointer, Int) -> Bool = { $0.process($1.baseAddress, $2) }
  ) -> () -> Void {
    let source = drains(descriptor, received, blocks: blocks, take: take) {
      close(descriptor)
      received.ended()
    }
    return { source.cancel() }
  }

  /// Reads as the document's listing does, but reads `more` bytes beyond the estimate in each call.
  private static func reads(
    _ descriptor: Int32, _ received: ReceivedData, more: Int = 1, cancelled: @escaping () -> Void
  ) -> any DispatchSourceRead {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
    source.setEventHandler {
      let estimated = received.expects(Int(source.data)) + more
      withUnsafeTemporaryAllocation(byteCount: max(1, estimated), alignment: 1) { buffer in
        if received.process(buffer.baseAddress, read(descriptor, buffer.baseAddress, estimated)) { source.cancel() }
      }
    }
    source.setCancelHandler(handler: cancelled)
    source.activate()
    return source
  }

  /// Drains the descriptor in each call of the handler.
  @Sendable private static func drainsTail(_ trial: Trial) throws {
    let pattern = DescriptorRead()
    try pattern.readTail(trial) { descriptor, received in
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
      source.setEventHandler {
        _ = received.expects(Int(source.data))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
          var actual = 0
          repeat {
            actual = read(descriptor, buffer.baseAddress, buffer.count)
            if received.process(buffer.baseAddress, actual) { source.cancel() }
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
  }

  static var reds: [Red] {
    let pattern = DescriptorRead()
    func red(
      _ check: String, _ variant: String, kind: DescriptorKind = .pipe,
      _ body: @escaping @Sendable (Trial) throws -> Void
    ) -> Red {
      Red(check, variant, of: pattern, settings.merging(["kind": .text(kind.rawValue)]) { $1 }, body)
    }
    /// Cancels the source at the end of the file, as a handler should.
    let cancelsAtEnd: @Sendable (ReceivedData, UnsafeMutableRawBufferPointer, Int) -> Bool = {
      received, buffer, actual in
      received.process(buffer.baseAddress, actual) || actual == 0
    }
    /// Reports the end of the file repeatedly.
    let endsForEver: @Sendable (ReceivedData, UnsafeMutableRawBufferPointer, Int) -> Bool = {
      received, buffer, actual in
      for _ in 0..<(actual == 0 ? 5 : 0) { received.process(buffer.baseAddress, 0) }
      return received.process(buffer.baseAddress, actual)
    }
    /// Drops the last byte of every read that is longer than the single bytes, and cancels the source at the end of the
    /// file. The handler takes as long as that of a variant: if a source is cancelled within microseconds of the end of
    /// a pipe, Dispatch on Linux may crash (a null pointer in `_dispatch_event_loop_drain`, in 1 of 200 processes).
    let loses: @Sendable (ReceivedData, UnsafeMutableRawBufferPointer, Int) -> Bool = { received, buffer, actual in
      received.process(buffer.baseAddress, actual > 1 ? actual - 1 : actual) || actual == 0
    }
    return ["drained", "blocking-read", "dispatch-io", "async-bytes"].map { variant in
      red("\(variant).lost == 0", variant) { trial in
        let probe = variant == "drained" ? pattern.readWholeThenSilence : pattern.readWhole
        try probe(trial) { drains($0, $1, take: loses) }
      }
    } + [
      red("all.corrupted == 0", "blocking-read") { trial in
        try pattern.readWhole(trial) { descriptor, received in
          drains(descriptor, received) { received, buffer, actual in
            if actual > 0 { buffer[0] ^= 1 }
            return received.process(buffer.baseAddress, actual)
          }
        }
      },
      // The handler never reads more bytes than estimated.
      red("estimated.beyond-estimate > 0", "estimated") { trial in
        try pattern.readTail(trial) { descriptor, received in
          let source = reads(descriptor, received, more: 0) {
            close(descriptor)
            received.ended()
          }
          return { source.cancel() }
        }
      },
      // The handler reads only once.
      red("estimated.left-unread == 0", "estimated") { trial in
        try pattern.readTail(trial) { descriptor, received in
          _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
          let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: received.queue)
          source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: received.expects(Int(source.data)) + 1)
            received.process(&bytes, read(descriptor, &bytes, bytes.count))
            source.cancel()
          }
          source.setCancelHandler {
            close(descriptor)
            received.ended()
          }
          source.activate()
          return { source.cancel() }
        }
      },
      red("estimated[kind=pipe].lost > 0", "estimated", drainsTail),
      red("estimated[kind=socket].lost > 0", "estimated", kind: .socket, drainsTail),
      red("drained[kind=pipe].calls-after-end <= 1", "drained") { trial in
        try pattern.readWholeThenSilence(trial) { drains($0, $1, take: endsForEver) }
      },
      red("drained[kind=socket].calls-after-end <= 1", "drained", kind: .socket) { trial in
        try pattern.readWholeThenSilence(trial) { drains($0, $1, take: endsForEver) }
      },
      red("drained[kind=file].calls-after-end >= 100", "drained", kind: .file) { trial in
        try pattern.readWholeThenSilence(trial) { drains($0, $1, take: cancelsAtEnd) }
      },
      red("drained[kind=socket].calls-after-shutdown >= 100", "drained", kind: .socket) { trial in
        try pattern.readWholeThenSilence(trial) { drains($0, $1, take: cancelsAtEnd) }
      },
      red("drained-tcp.calls-after-end >= 100", "drained-tcp") { trial in
        try pattern.readClosedConnection(trial) { drains($0, $1, take: cancelsAtEnd) }
      },
      red("blocking-descriptor.queue-blocked == 1", "blocking-descriptor") { trial in
        try pattern.readSilence(trial) { drains($0, $1) }
      },
      red("blocking-concurrent.queue-blocked == 1", "blocking-concurrent") { trial in
        try pattern.readSilenceOnAllCores(trial) { drains($0, $1) }
      },
      red("drained.queue-blocked == 0", "drained") { trial in
        try pattern.readWholeThenSilence(trial) { drains($0, $1, blocks: true) }
      },
      red("closed-early.unrelated-bytes > 0", "closed-early") { trial in
        try pattern.readWithReusedDescriptor(handlerCloses: false)(trial) { descriptor, received in
          let source = reads(descriptor, received) {
            close(descriptor)
            received.ended()
          }
          return { source.cancel() }
        }
      },
      red("closed-in-handler.unrelated-bytes == 0", "closed-in-handler") { trial in
        try pattern.readWithReusedDescriptor(handlerCloses: true)(trial) { descriptor, received in
          let source = reads(descriptor, received) { received.ended() }
          return {
            close(descriptor)
            source.cancel()
          }
        }
      },
      red("all.unrelated-closed == 0", "drained") { trial in
        try pattern.readWholeThenSilence(trial) { descriptor, received in
          let source = drains(descriptor, received) {
            close(descriptor)
            received.ended()
            close(descriptor)
          }
          return { source.cancel() }
        }
      },
      red("all.left-open == 0", "async-bytes") { trial in
        try pattern.readWhole(trial) { descriptor, received in
          let source = drains(descriptor, received) { received.ended() }
          return { source.cancel() }
        }
      },
    ]
  }
}
