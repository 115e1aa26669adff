import Dispatch
import Instruments
import Synchronization

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
