import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension MachPortPattern {
  /// The longest time of a trial: a message may have to wait for a thread if the machine has none to spare.
  func longest(_ trial: Trial) -> Duration? { .seconds(2) }

  /// Starts to watch a port, and returns a sender that sends to the port.
  typealias Begin = @Sendable (PortInbox) throws -> PortSender

  /// Sends messages to a port, and cancels the source when all have been received.
  ///
  /// - Parameter patience: how long the trial waits for messages, and for the cancellation handler.
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

  /// Destroys a port, and cancels the source when the destruction has been reported.
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

/// The ways in which a trial sends a message to a port, and in which it cancels the source.
struct PortSender {
  /// Sends a message.
  let send: (Int32) throws -> Void
  /// Cancels the source.
  let end: () -> Void
}

/// The events at a port.
final class PortInbox: Sendable {
  /// The queue of the source's handlers.
  let queue = DispatchQueue(label: "port")
  /// The observations that were noted so far.
  let seen = WaitableValue(Seen())

  /// The events at a port.
  struct Seen {
    /// The numbers of the messages, in the order in which they came.
    var numbers: [Int32] = []
    /// The number of runs of the cancellation handler.
    var ends = 0
  }

  /// Notes that a message was received, or that the port died.
  func received(_ number: Int32) { seen.note { $0.numbers.append(number) } }

  /// Notes that the cancellation handler ran.
  func ended() { seen.note { $0.ends += 1 } }
}
