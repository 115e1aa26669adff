import Dispatch
import Instruments
import Synchronization

/// The descriptors that a trial opens, with the number of descriptors that are still open.
struct ResourceCounts {
  let opened = OpenedDescriptors()
  private let watchesBefore = Self.watches

  var leftOpen: Int { opened.count + max(0, Self.watches - watchesBefore) }

  /// The number of open pidfds; 0 if the system does not list descriptors.
  private static var watches: Int { OpenDescriptors.paths().count { $0.contains("pidfd") } }
}

/// A message between processes. Each message is sent together with the time.
enum ProcessMessage: UInt8 {
  case go = 1, started, knows, watches, reported, unreported, lastStep

  func send(to line: Int32) {
    var message = (UInt64(rawValue), MonotonicClock.now())
    _ = write(line, &message, MemoryLayout.size(ofValue: message))
  }

  /// Waits for the next message, and returns the message with the time at which it was sent, in nanoseconds of the
  /// monotonic clock. The message and the time are nil if the other process has closed its end.
  static func receive(from line: Int32) -> (message: ProcessMessage?, time: UInt64?) {
    var message = (UInt64(0), UInt64(0))
    var count = 0
    repeat { count = read(line, &message, MemoryLayout.size(ofValue: message)) } while count < 0 && errno == EINTR
    guard count == MemoryLayout.size(ofValue: message) else { return (nil, nil) }
    return (ProcessMessage(rawValue: UInt8(truncatingIfNeeded: message.0)), message.1)
  }
}

/// A pair of sockets that connects the trial with another process.
struct MessageChannel {
  let trialEnd: Int32
  let processEnd: Int32

  init(_ resources: ResourceCounts) throws(SystemError) {
    let pair = try DescriptorPair(.socket, resources.opened)
    (trialEnd, processEnd) = (pair.reader, pair.writer)
  }

  /// Creates the standard input of a worker, and sends `request`. The worker ends when this input is closed, so the
  /// worker does not outlive the trial.
  init(_ resources: ResourceCounts, to request: TrialRequest) throws {
    try self.init(resources)
    try writeAll(request.line, to: trialEnd)
  }

  func handOver() { systemClose(processEnd) }
  func close() { systemClose(trialEnd) }
  func send(_ message: ProcessMessage) { message.send(to: trialEnd) }
  func receive() -> (message: ProcessMessage?, time: UInt64?) { ProcessMessage.receive(from: trialEnd) }
}

private func systemClose(_ descriptor: Int32) { close(descriptor) }
