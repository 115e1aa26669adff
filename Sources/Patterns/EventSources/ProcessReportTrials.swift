import Dispatch
import Instruments
import Synchronization

/// The reported events of a child.
final class ReportedEvents: Sendable {
  /// An event of a process.
  enum Event: CaseIterable, Sendable { case fork, exec, signal }

  /// The serial queue of the handler.
  let queue = DispatchQueue(label: "events")
  let all = WaitableValue<Set<Event>>([])

  /// Records a reported event.
  func reported(_ event: Event) { all.note { _ = $0.insert(event) } }
}

/// A watch of a child process. The variant reports the child's exit to the watch.
final class ChildWatch: Sendable {
  /// The serial queue of the handlers.
  let queue = DispatchQueue(label: "watch")
  let state = WaitableValue(State())

  struct State {
    var reported: [(status: Int32?, time: UInt64)] = []
    var isOver = false
  }

  /// Records a report that the child has exited, with the status that `waitpid` returned; nil if `waitpid` did not find
  /// an exited child. A report without a status came too early, and does not count as a report of the exit.
  func exited(_ status: Int32?) {
    let time = MonotonicClock.now()
    state.note { $0.reported.append((status, time)) }
  }

  /// Records that the watch has ended.
  func ended() { state.note { $0.isOver = true } }
}

/// A watch of a parent process by its child. The variant reports the parent's exit to the watch.
final class ParentWatch: Sendable {
  /// The serial queue of the handlers.
  let queue = DispatchQueue(label: "watch")
  /// The parent's process identifier, which the parent passed to the child.
  let parent: pid_t
  private let line: Int32
  private let moment = Mutex<UInt64?>(nil)
  private let hasReported = Atomic(false)

  init(parent: pid_t, line: Int32) {
    self.parent = parent
    self.line = line
  }

  /// Records that the child has read its parent's identifier. The first call returns once the trial allows the child to
  /// continue, which may be after the parent has exited. Later calls have no effect.
  func recordParent() {
    if !hasReported.exchange(true, ordering: .relaxed) { report(.knows) }
  }

  /// Records that the parent has exited, as the example in the Concurrency Programming Guide does with its exit flag.
  /// Only the first call has an effect.
  func exited() {
    let now = MonotonicClock.now()
    moment.withLock { $0 = $0 ?? now }
  }

  var time: UInt64? { moment.withLock { $0 } }

  /// Reports the child's progress, and waits until the trial allows the child to continue. If the trial has ended, ends
  /// the process.
  func report(_ message: ProcessMessage) {
    message.send(to: line)
    guard ProcessMessage.receive(from: line).message == .go else { _exit(1) }
  }

  /// Reports to the trial whether and when the child detected its parent's exit.
  func answer(_ isReported: Bool) {
    var message = (UInt64((isReported ? ProcessMessage.reported : .unreported).rawValue), time ?? 0)
    _ = write(line, &message, MemoryLayout.size(ofValue: message))
  }
}
