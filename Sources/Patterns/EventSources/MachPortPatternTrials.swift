import Dispatch
import Instruments
import Synchronization

/// The code that measures the variants.
extension MachPortPattern {
  /// Returns the longest time that a trial takes on an idle machine. The time includes the possible wait of a message
  /// for a free thread.
  func longest(_ trial: Trial) -> Duration? { .seconds(2) }

  /// A closure that starts to watch a port, and returns a sender for the port.
  typealias Begin = @Sendable (PortInbox) throws -> PortSender

  /// Returns a probe that sends messages to a port, and cancels the source once all messages have been received or
  /// `patience` has passed.
  ///
  /// - Parameter patience: the maximum time to wait for messages, and for the cancellation handler.
  func exchange(patience: Duration = .seconds(20)) -> Probe<Begin> {
    Probe(reads: [messages], records: [lost, cancelHandlerNotOnce]) { trial, begin in
      let inbox = PortInbox()
      let sender = try begin(inbox)
      let count = trial[messages]
      for number in 0..<count { try sender.send(Int32(number)) }
      inbox.seen.wait(within: patience) { $0.numbers.count >= count }
      sender.end()
      inbox.seen.wait(within: patience) { $0.ends > 0 }
      inbox.queue.sync {}
      let seen = inbox.seen.now
      let inTurn = zip(seen.numbers, 0..<Int32(count)).count { $0 == $1 }
      trial.record(lost, count - inTurn + max(0, seen.numbers.count - count))
      trial.record(cancelHandlerNotOnce, seen.ends == 1 ? 0 : 1)
    }
  }

  /// Returns a probe that destroys a port, and cancels the source once the destruction has been reported or `patience`
  /// has passed.
  ///
  /// - Parameter patience: the maximum time to wait for the report, and for the cancellation handler.
  func destroyPort(patience: Duration = .seconds(20)) -> Probe<Begin> {
    Probe(records: [unreportedDeaths, cancelHandlerNotOnce]) { trial, begin in
      let inbox = PortInbox()
      let sender = try begin(inbox)
      try sender.send(0)
      inbox.seen.wait(within: patience) { !$0.numbers.isEmpty }
      sender.end()
      inbox.seen.wait(within: patience) { $0.ends > 0 }
      inbox.queue.sync {}
      trial.record(unreportedDeaths, inbox.seen.numbers.isEmpty ? 1 : 0)
      trial.record(cancelHandlerNotOnce, inbox.seen.ends == 1 ? 0 : 1)
    }
  }
}

/// A trial's access to a port: sends messages, destroys the port, and cancels the source.
struct PortSender {
  /// A closure that sends a message with the given number, or that destroys the port and ignores the number.
  let send: (Int32) throws -> Void
  /// A closure that cancels the source.
  let end: () -> Void
}

/// A record of the events that the handlers of a Mach port source report.
final class PortInbox: Sendable {
  /// The queue of the source's handlers.
  let queue = DispatchQueue(label: "port")
  /// The events reported so far.
  let seen = WaitableValue(Seen())

  /// The reported events of a port.
  struct Seen {
    /// The numbers of the received messages, in the order of their arrival; 0 for the destruction of the port.
    var numbers: [Int32] = []
    /// The number of calls of the cancellation handler.
    var ends = 0
  }

  /// Records a received message, or the destruction of the port.
  func received(_ number: Int32) { seen.note { $0.numbers.append(number) } }

  /// Records a call of the cancellation handler.
  func ended() { seen.note { $0.ends += 1 } }
}
