import CDispatchSupport
import Instruments

/// A signal that the system raises for a fault of a thread's own.
enum Fault: String, CaseIterable, Sendable {
  /// SIGSEGV: memory that may not be written.
  case segv
  /// SIGBUS: a page behind the end of the file that is mapped there.
  case bus
  /// SIGILL: an instruction that no processor has.
  case ill

  /// The signal's number.
  var number: Int32 {
    switch self {
    case .segv: SIGSEGV
    case .bus: SIGBUS
    case .ill: SIGILL
    }
  }
}

/// A fault that a thread has as often as it tries, until another mends what is wrong.
struct MendableFault: Sendable {
  private let fault: Fault
  private let handle: UInt

  /// One that nobody has had yet.
  ///
  /// - Throws: ``SystemError`` when the memory for it cannot be had.
  init(_ fault: Fault) throws(SystemError) {
    self.fault = fault
    let pages = gcdlab_make_fault(fault.number)
    guard let pages else { throw SystemError(errno, "map memory for a fault") }
    handle = UInt(bitPattern: pages)
  }

  /// Has it; returns when it has been mended.
  func have() { gcdlab_have_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }

  /// Mends it.
  func mend() { gcdlab_mend_fault(fault.number, UnsafeMutableRawPointer(bitPattern: handle)) }
}

/// Another worker of this binary, started for the same trial, that makes a source of a fault's signal. It has a process
/// of its own since Dispatch may be of no use there afterwards.
struct FaultProcess {
  private static let (name, theirLine): (String, Int32) = ("GCDLAB_FAULT", 3)
  private let child: ChildProcess
  private let input: (reader: Int32, writer: Int32)
  private let output: (reader: Int32, writer: Int32)

  /// The fault that this process is to have to do with, if it is one of these.
  static var fault: Fault? { Terminal.environment(name).flatMap { Fault(rawValue: $0) } }

  /// Starts one, which comes to the body of `variant`.
  ///
  /// - Parameter isBlocked: whether all its threads block the signal, as they inherit it from the one that starts it.
  /// - Throws: ``SystemError`` when it cannot be had.
  init(
    _ executable: String, of pattern: String, _ variant: String, _ fault: Fault, isBlocked: Bool
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

  /// Its number.
  var identifier: pid_t { child.identifier }

  /// The next number that it says.
  ///
  /// - Throws: an error when it ends without; `Unavailable` where it was killed.
  func hear() throws -> Int {
    var byte: UInt8 = 0
    var count = 0
    repeat { count = read(output.reader, &byte, 1) } while count < 0 && errno == EINTR
    guard count == 1 else {
      if let status = child.waitForStatus(), ChildProcess.wasKilled(status) { throw Unavailable.killed }
      throw Silent()
    }
    return Int(byte)
  }

  /// Ends it, and takes its status.
  func end() {
    close(input.writer)
    close(output.reader)
    child.wait()
  }

  /// Says a number to who has started this process.
  static func say(_ number: Int) {
    var byte = UInt8(clamping: number)
    _ = write(theirLine, &byte, 1)
  }

  private struct Silent: Error, CustomStringConvertible {
    var description: String { "a process that had the signal of a fault ended before it said what came of it" }
  }
}
