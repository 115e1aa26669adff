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
