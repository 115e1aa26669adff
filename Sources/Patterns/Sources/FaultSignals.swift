import CDispatchSupport
import Instruments

/// A fault of a thread, for which the system raises a signal.
enum Fault: String, CaseIterable, Sendable {
  /// SIGSEGV: a write to memory that is not writable.
  case segv
  /// SIGBUS: an access to a page after the end of its mapped file.
  case bus
  /// SIGILL: an instruction that no processor has.
  case ill

  /// The number of the signal.
  var number: Int32 {
    switch self {
    case .segv: SIGSEGV
    case .bus: SIGBUS
    case .ill: SIGILL
    }
  }
}

/// A fault that a thread repeats until another thread mends the cause.
struct MendableFault: Sendable {
  private let fault: Fault
  private let handle: UInt

  /// Prepares a fault.
  ///
  /// - Throws: ``SystemError`` if the memory for it cannot be allocated.
  init(_ fault: Fault) throws(SystemError) {
    self.fault = fault
    let pages = gcdlab_make_fault(fault.number)
    guard let pages else { throw SystemError(errno, "map memory for a fault") }
    handle = UInt(bitPattern: pages)
  }

  /// Causes the fault. Returns when another thread has mended it.
  func have() { gcdlab_have_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }

  /// Mends the fault.
  func mend() { gcdlab_mend_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }
}

/// Another worker of this binary, started for the same trial, that creates a source for the signal of a fault. It is a
/// separate process, since Dispatch may be unusable there afterwards.
struct FaultProcess {
  private static let (name, theirLine): (String, Int32) = ("GCDLAB_FAULT", 3)
  private let child: ChildProcess
  private let input: (reader: Int32, writer: Int32)
  private let output: (reader: Int32, writer: Int32)

  /// The fault that this process must handle, if it is one of these workers.
  static var fault: Fault? { Terminal.environment(name).flatMap { Fault(rawValue: $0) } }

  /// Starts a worker that runs the body of `variant`.
  ///
  /// - Parameter isBlocked: whether all threads of the worker block the signal. They inherit the signal mask of the
  ///   thread that starts the worker.
  /// - Throws: ``SystemError`` if it cannot be started.
  init(
    _ executable: Image, of pattern: String, _ variant: String, _ fault: Fault, isBlocked: Bool
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
        descriptors: [STDIN_FILENO: input.reader, STDOUT_FILENO: STDERR_FILENO, Self.theirLine: output.writer])
    } catch {
      for end in [input.reader, input.writer, output.reader, output.writer] { close(end) }
      throw error
    }
    close(input.reader)
    close(output.writer)
    try writeAll(TrialRequest(pattern: pattern, variant: variant).line, to: input.writer)
  }

  /// The process identifier.
  var identifier: pid_t { child.identifier }

  /// Returns the next number that the worker sends.
  ///
  /// - Throws: an error if the worker ends without sending a number; ``Unavailable`` if it was killed.
  func hear() throws -> Int {
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(output.reader, &byte, 1) } while count < 0 && errno == EINTR
    guard count == 1 else {
      if let status = child.waitForStatus(), ChildProcess.wasKilled(status) { throw Unavailable.killed }
      throw MissingMessage()
    }
    return Int(byte)
  }

  /// Ends the worker, and collects its status.
  func end() {
    close(input.writer)
    close(output.reader)
    child.wait()
  }

  /// Sends a number to the process that started this one.
  static func say(_ number: Int) {
    var byte = UInt8(clamping: number)
    _ = write(theirLine, &byte, 1)
  }

  private struct MissingMessage: Error, CustomStringConvertible {
    var description: String { "a process that had the signal of a fault ended before it reported the result" }
  }
}
