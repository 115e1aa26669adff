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

// MARK: - Messages between processes

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

// MARK: - The roles of the workers

/// The role of a worker process in a trial.
enum WorkerRole {
  /// A child that exits with this status on request.
  case child(Int32)
  /// A parent that starts a child, and exits on request.
  case parent
  /// The child of the parent with this process identifier.
  case childOf(pid_t)

  /// The descriptor for messages between a worker and the trial.
  static let line: Int32 = 3
  static let childLine: Int32 = 4
  static let childInput: Int32 = 5

  private static let (name, backtrace) = ("GCDLAB_PART", ["SWIFT_BACKTRACE": "enable=no"])

  /// The environment variables that pass the role to a worker, and that disable Swift's backtraces.
  var environment: [String: String] {
    let words =
      switch self {
      case .child(let status): "child \(status)"
      case .parent: "parent"
      case .childOf(let parent): "child-of \(parent)"
      }
    return Self.backtrace.merging([Self.name: words]) { $1 }
  }

  /// The role of this process; nil if this process is the trial itself.
  static var ofThisProcess: WorkerRole? {
    guard let words = Terminal.environment(name)?.split(separator: " "), let first = words.first else { return nil }
    switch (first, words.last.flatMap { Int32($0) }) {
    case ("child", let status?): return .child(status)
    case ("parent", _): return .parent
    case ("child-of", let parent?): return .childOf(parent)
    default: return nil
    }
  }

  func playChild() -> Never {
    guard case .child(let status) = self, ProcessMessage.receive(from: Self.line).message == .go else { _exit(1) }
    ProcessMessage.lastStep.send(to: Self.line)
    _exit(status)
  }

  func playParentOrItsChild(_ executable: ExecutableFile, _ begin: (ParentWatch) throws -> Void) throws -> Never {
    switch self {
    case .child: _exit(1)
    case .parent:
      _ = try ChildProcess(
        executable, ["worker"], environment: WorkerRole.childOf(getpid()).environment,
        descriptors: [
          STDIN_FILENO: Self.childInput, STDOUT_FILENO: STDERR_FILENO, Self.line: Self.childLine,
        ])
      // Only the child keeps this end open, so that the trial detects the child's exit.
      close(Self.childLine)
      guard ProcessMessage.receive(from: Self.line).message == .go else { _exit(1) }
      ProcessMessage.lastStep.send(to: Self.line)
      _exit(0)
    case .childOf(let parent):
      let watch = ParentWatch(parent: parent, line: Self.line)
      watch.report(.started)
      try begin(watch)
      watch.recordParent()
      watch.report(.watches)
      // The parent has already exited, so the report is pending or will never arrive.
      let isReported = try Standstill().wait { watch.time != nil }
      watch.answer(isReported)
      _exit(0)
    }
  }
}

// MARK: - Reports

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
