import CDispatchSupport
import Instruments

/// A kind of fault. If a thread causes the fault, the system raises a signal for the thread.
enum Fault: String, CaseIterable, Sendable {
  /// SIGSEGV: a write to memory that is not writable.
  case segv
  /// SIGBUS: an access to a mapped page after the end of the file.
  case bus
  /// SIGILL: a permanently undefined instruction.
  case ill

  /// The number of the signal that the fault raises.
  var number: Int32 {
    switch self {
    case .segv: SIGSEGV
    case .bus: SIGBUS
    case .ill: SIGILL
    }
  }
}

/// A fault that a thread repeats until another thread removes the cause of the fault.
struct RemovableFault: Sendable {
  private let fault: Fault
  private let handle: UInt

  /// Prepares a fault without causing it.
  ///
  /// - Throws: ``SystemError`` if the memory for the fault cannot be mapped, or if the lab cannot cause faults on this
  ///   system.
  init(_ fault: Fault) throws(SystemError) {
    self.fault = fault
    let pages = gcdlab_make_fault(fault.number)
    guard let pages else { throw SystemError(errno, "map memory for a fault") }
    handle = UInt(bitPattern: pages)
  }

  /// Causes the fault on the calling thread, and returns once another thread has called ``remove()``.
  func cause() { gcdlab_cause_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }

  /// Removes the cause of the fault.
  func remove() { gcdlab_remove_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }
}

/// A worker process of this binary that creates a source for the signal of a fault. The worker is a separate process,
/// since Dispatch may be unusable in a process after a fault.
struct FaultProcess {
  private static let (name, workerLine): (String, Int32) = ("GCDLAB_FAULT", 3)
  private let child: ChildProcess
  private let input: (reader: Int32, writer: Int32)
  private let output: (reader: Int32, writer: Int32)

  /// The fault for whose signal this worker process creates a source; nil if this process is not a worker for a fault.
  static var fault: Fault? { Terminal.environment(name).flatMap { Fault(rawValue: $0) } }

  /// Starts a worker that runs the body of `variant`.
  ///
  /// - Parameter isBlocked: whether all threads of the worker block the signal. The threads inherit the signal mask of
  ///   the thread that starts the worker.
  /// - Throws: ``SystemError`` if the worker cannot be started.
  init(
    _ executable: ExecutableFile, of pattern: String, _ variant: String, _ fault: Fault, isBlocked: Bool
  ) throws {
    input = try makePipe()
    output = try makePipe()
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    if isBlocked { sigaddset(&blocked, fault.number) }
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    do {
      child = try ChildProcess(
        executable, ["worker"], environment: [Self.name: fault.rawValue, "SWIFT_BACKTRACE": "enable=no"],
        descriptors: [STDIN_FILENO: input.reader, STDOUT_FILENO: STDERR_FILENO, Self.workerLine: output.writer])
    } catch {
      for end in [input.reader, input.writer, output.reader, output.writer] { close(end) }
      throw error
    }
    close(input.reader)
    close(output.writer)
    try writeAll(TrialRequest(pattern: pattern, variant: variant).line, to: input.writer)
  }

  /// The process identifier of the worker.
  var identifier: pid_t { child.identifier }

  /// Waits for the next number from the worker, and returns the number.
  ///
  /// - Throws: ``Unavailable`` if the worker was killed; another error if the worker ended without sending
  ///   a number.
  func receive() throws -> Int {
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(output.reader, &byte, 1) } while count < 0 && errno == EINTR
    guard count == 1 else {
      if let status = child.waitForStatus(), ChildProcess.wasKilled(status) { throw Unavailable.killed }
      throw MissingMessage()
    }
    return Int(byte)
  }

  /// Closes the worker's input, which ends the worker, and waits until the worker has ended.
  func end() {
    close(input.writer)
    close(output.reader)
    child.wait()
  }

  /// Sends a number to the process that started this worker. A number above 255 is sent as 255.
  static func send(_ number: Int) {
    var byte = UInt8(clamping: number)
    _ = write(workerLine, &byte, 1)
  }

  private struct MissingMessage: Error, CustomStringConvertible {
    var description: String { "a process with a source for a fault's signal ended before it reported the result" }
  }
}
