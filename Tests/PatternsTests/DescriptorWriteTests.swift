import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// A trial waits until all threads of its process sleep, and examines the descriptors of the process, so each trial has
/// a process of its own.
@Suite struct DescriptorWriteTests {
  static let settings: [String: ParameterValue] = [
    "kind": .text("pipe"), "size": .integer(300_000), "frees": .integer(2), "pause": .integer(0),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = settings) async throws -> Attempt {
    try await Attempt(variant, of: DescriptorWrite(), files: Catalogue.files, settings)
  }

  @Test(arguments: DescriptorKind.allCases)
  func `every variant keeps its promises`(_ kind: DescriptorKind) async {
    await #expect(processExitsWith: .success) { [kind = kind.rawValue as String] in
      closeInheritedDescriptors()
      for variant in DescriptorWrite().variants {
        let attempt = try await Self.attempt(variant.name, Self.settings.merging(["kind": .text(kind)]) { $1 })
        #expect(attempt.trial.outcome == .completed)
        // A file accepts all data that is written to it.
        let verdicts = attempt.verdicts.filter {
          kind != "file" || variant.name != "one-write" || !$0.key.contains("> 0")
        }
        #expect(
          verdicts.values.allSatisfy { $0 == .held || $0 == .witnessed } && !verdicts.isEmpty,
          "\(variant.name) \(kind): \(verdicts)")
        #expect(attempt.total("queue-blocked") ?? 0 == (kind != "file" && variant.name == "blocking-write" ? 1 : 0))
      }
    }
  }

  @Test func `each report of newly available space is timed`() async {
    await #expect(processExitsWith: .success) {
      closeInheritedDescriptors()
      let attempt = try await Self.attempt("source")
      #expect(attempt.trial.observation.samples("latency")?.summary?.count == 2)
      #expect(try #require(attempt.total("accepted")) > 0)
      // A handler that is notified of the close does not run in a busy loop.
      #expect(try #require(attempt.total("notified-of-close")) + #require(attempt.total("busy-loop")) <= 1)
    }
  }

  @Test func `a trial without enough free descriptors is unavailable`() async {
    await #expect(processExitsWith: .success) {
      try leaveOneDescriptorFree()
      for variant in DescriptorWrite().variants {
        let outcome = try await Self.attempt(variant.name).trial.outcome
        #expect(
          outcome == .unavailable(reason: "cannot open a pipe: Too many open files"), "\(variant.name): \(outcome)")
      }
    }
  }

  // MARK: Broken bodies

  /// Writes with a source whose handler is `handle`, which returns whether the writing is done.
  private static func writes(
    _ descriptor: Int32, _ outgoing: OutgoingData, blocks: Bool = false, closes: Bool = true,
    _ handle: @escaping () -> Bool
  ) -> () -> Void {
    if !blocks { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: outgoing.queue)
    source.setEventHandler {
      if handle() { source.cancel() }
    }
    source.setCancelHandler {
      if closes { close(descriptor) }
      outgoing.ended()
    }
    source.activate()
    return { source.cancel() }
  }

  static var reds: [Red] {
    let pattern = DescriptorWrite()
    func red(
      _ check: String, _ variant: String, _ stall: DescriptorWrite.Stall, kind: String = "pipe",
      _ begin: @escaping @Sendable (Int32, OutgoingData) -> () -> Void
    ) -> Red {
      Red(check, variant, of: pattern, settings.merging(["kind": .text(kind)]) { $1 }) { trial in
        try pattern.writeWhole(then: stall, patience: .milliseconds(1))(trial, begin)
      }
    }
    let once: @Sendable (Int32, OutgoingData) -> () -> Void = { descriptor, outgoing in
      writes(descriptor, outgoing) {
        _ = outgoing.next { write(descriptor, $0.baseAddress, $0.count) }
        return true
      }
    }
    let again: @Sendable (Int32, OutgoingData) -> () -> Void = { descriptor, outgoing in
      writes(descriptor, outgoing) { outgoing.next { write(descriptor, $0.baseAddress, $0.count) } }
    }
    /// A closure that returns whether there is no reader. A trial without a reader writes more bytes than a trial with
    /// a slow reader.
    let isStalled: @Sendable (OutgoingData) -> Bool = { $0.bytes.count > 1_000_000 }
    let polls: @Sendable (Int32, OutgoingData) -> () -> Void = { descriptor, outgoing in
      let end = SharedEnd(again(descriptor, outgoing))
      guard isStalled(outgoing) else { return end.call }
      try? SystemThread {
        var waited = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&waited, 1, -1) < 0, errno == EINTR {}
        outgoing.queue.async {
          _ = outgoing.next { write(descriptor, $0.baseAddress, $0.count) }
          end.call()
        }
      }.detach()
      return end.call
    }
    let looksFirst: @Sendable (Int32, OutgoingData) -> () -> Void = { descriptor, outgoing in
      writes(descriptor, outgoing) {
        var looked = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&looked, 1, 0) > 0 || outgoing.next { write(descriptor, $0.baseAddress, $0.count) }
      }
    }
    return [
      red("source.lost == 0", "source", .room, once),
      red("blocking-write.lost == 0", "blocking-write", .full, once),
      red("dispatch-io.lost == 0", "dispatch-io", .none, once),
      red("all.corrupted == 0", "dispatch-io", .none) { descriptor, outgoing in
        writes(descriptor, outgoing) {
          outgoing.next { data in
            let wrong = data.map { $0 ^ 1 }
            return write(descriptor, wrong, wrong.count)
          }
        }
      },
      red("source.missed-calls == 0", "source", .room, once),
      // The source is suspended after it has filled the pipe.
      red("source[kind=pipe].unreported-space == 0", "source", .room) { descriptor, outgoing in
        guard isStalled(outgoing) else { return again(descriptor, outgoing) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: outgoing.queue)
        source.setEventHandler {
          _ = outgoing.next { write(descriptor, $0.baseAddress, $0.count) }
          source.suspend()
        }
        source.setCancelHandler {
          close(descriptor)
          outgoing.ended()
        }
        source.activate()
        return {
          source.cancel()
          source.resume()
        }
      },
      // The source is cancelled once the socket is full, so that no further write is accepted.
      red("source[kind=socket].unreported-space > 0", "source", .room, kind: "socket", once),
      // The handler writes until the error reports that there is no room.
      red("source.calls-while-full == 0", "source", .room) { descriptor, outgoing in
        writes(descriptor, outgoing) {
          (0..<2).contains { _ in outgoing.next { write(descriptor, $0.baseAddress, $0.count) } }
        }
      },
      red("source.queue-blocked == 0", "source", .room) { descriptor, outgoing in
        writes(descriptor, outgoing, blocks: true) { outgoing.next { write(descriptor, $0.baseAddress, $0.count) } }
      },
      red("blocking-write[kind=pipe].queue-blocked == 1", "blocking-write", .full, again),
      red("blocking-write[kind=socket].queue-blocked == 1", "blocking-write", .full, kind: "socket", again),
      red("one-write.lost > 0", "one-write", .none, again),
      // The figure is the room in a pipe of this size.
      Red("source[kind=pipe].source-data != source[kind=pipe].accepted", "source", of: pattern, settings) { trial in
        try pattern.writeWhole(then: .room)(trial) { descriptor, outgoing in
          let room = 65_536
          return writes(descriptor, outgoing) {
            outgoing.notes(available: room)
            return outgoing.next { write(descriptor, $0.baseAddress, $0.count) }
          }
        }
      },
      // The body polls for the error, and thereby detects that the reader has closed the pipe.
      red("source[kind=pipe].notified-of-close == 0", "source", .room, polls),
      red("source[kind=pipe].busy-loop == 1", "source", .room, polls),
      // The source is cancelled without a report after the reader has closed the socket.
      red("source[kind=socket].notified-of-close == 1", "source", .room, kind: "socket", looksFirst),
      // The kind is a file, since the reader of a pipe would wait for its end.
      red("all.left-open == 0", "dispatch-io", .none, kind: "file") { descriptor, outgoing in
        writes(descriptor, outgoing, closes: false) { outgoing.next { write(descriptor, $0.baseAddress, $0.count) } }
      },
    ]
  }
}

/// The end of a source, shared by several threads.
///
/// Unchecked: the object cancels a source, which any thread may do.
private struct SharedEnd: @unchecked Sendable {
  let call: () -> Void
  init(_ call: @escaping () -> Void) { self.call = call }
}
