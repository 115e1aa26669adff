import Platform

/// The meaning of the numbers in an event, as `CDispatchSupport/include/Trace.h` defines them.
extension RecordedEvent {
  /// The way in which the block of this event was submitted.
  var blockKind: Trace.Block.Kind {
    let kinds: [Trace.Block.Kind] = [.async, .sync, .apply, .after, .notify, .handler, .job]
    return kinds[min(how & 15, kinds.count - 1)]
  }

  /// Whether the block of this event is a barrier.
  var isBarrier: Bool { how & 16 != 0 }

  /// Whether the number of the block is the address of its work item.
  var isByItem: Bool { how & 32 != 0 }

  /// The kind of event that the thread waits for.
  var waitReason: Trace.Wait.Reason {
    let reasons = Trace.Wait.Reason.allCases
    return reasons[min(how, reasons.count - 1)]
  }

  /// Whether the wait that this event ends has timed out.
  var hasTimedOut: Bool { how == 1 }

  /// The kind of the queue that this event describes. A source without a queue runs one handler at a time, as a serial
  /// queue does.
  var queueKind: Trace.Queue.Kind {
    let kinds: [Trace.Queue.Kind] = [.unknown, .serial, .concurrent, .global, .main, .swiftPool, .actor, .serial]
    return kinds[min(how, kinds.count - 1)]
  }

  /// Whether this event describes a source, which takes the place of a queue in the events of its handlers.
  var isOfSource: Bool { how == 7 }

  /// The bytes of the text fragment that this event contains.
  var bytes: [UInt8] {
    [a, b].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) } }
  }
}

/// The fragments of texts that have not been completed. A thread writes the fragments of a text after the event that
/// the text belongs to.
struct RecordedTexts {
  private var open: [Int: (event: RecordedEvent, bytes: [UInt8])] = [:]

  /// Reads an event. If `event` completes a text, returns the text and the event that the text belongs to; otherwise
  /// returns nil.
  mutating func read(_ event: RecordedEvent) -> (of: RecordedEvent, text: String)? {
    switch event.kind {
    case .queue, .module, .image: open[event.thread] = event.count > 0 ? (event, []) : nil
    case .text:
      guard var part = open[event.thread] else { return nil }
      part.bytes += event.bytes
      guard part.bytes.count >= part.event.count * 16 else {
        open[event.thread] = part
        return nil
      }
      open[event.thread] = nil
      return (part.event, String(decoding: part.bytes.filter { $0 != 0 }, as: UTF8.self))
    default: break
    }
    return nil
  }
}
