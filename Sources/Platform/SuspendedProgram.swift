import CDispatchSupport

/// A user's program whose process has been started. The process waits for ``release()`` before it runs the program. The
/// program has the lab's standard streams, process group and working directory.
public struct SuspendedProgram: Sendable {
  /// The process that waits and then runs the program.
  public let process: ChildProcess
  private let gate: Int32
  private let report: Int32
  private let path: String

  /// Starts a process for a program. The process waits for ``release()``.
  ///
  /// - Parameters:
  ///   - path: the program's file.
  ///   - arguments: the program's arguments, the first of which is its name.
  ///   - variables: the environment variables to add to the lab's environment.
  /// - Throws: ``SystemError`` if no process can be started.
  public init(_ path: String, arguments: [String], variables: [String: String]) throws(SystemError) {
    let gate = try makePipe()
    let report: (reader: Int32, writer: Int32)
    do throws(SystemError) { report = try makePipe() } catch {
      close(gate.reader)
      close(gate.writer)
      throw error
    }
    let words = arguments.map { strdup($0) } + [nil]
    let pairs = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + pairs { free(text) } }
    let started = gcdlab_start_held(path, words, pairs, gate.reader, report.writer)
    let error = errno
    close(gate.reader)
    close(report.writer)
    guard started > 0 else {
      close(gate.writer)
      close(report.reader)
      throw SystemError(error, "start \(path)")
    }
    process = ChildProcess(started)
    self.path = path
    self.gate = gate.writer
    self.report = report.reader
  }

  /// Runs the waiting program, and returns once it has begun.
  ///
  /// - Throws: ``SystemError`` if the system cannot run the file. The process has then ended.
  public func release() throws(SystemError) {
    var byte: UInt8 = 1
    while write(gate, &byte, 1) < 0, errno == EINTR {}
    close(gate)
    defer { close(report) }
    var error: Int32 = 0
    var count = 0
    repeat { count = read(report, &error, MemoryLayout<Int32>.size) } while count < 0 && errno == EINTR
    guard count == MemoryLayout<Int32>.size else { return }
    process.wait()
    throw SystemError(error, "run \(path)")
  }
}

extension ChildProcess {
  /// Returns the number of the signal that ended a process, given its status from `waitpid`; nil if no signal ended the
  /// process.
  public static func endingSignal(_ status: Int32) -> Int32? {
    let signal = status & 0x7F
    return signal == 0 || signal == 0x7F ? nil : signal
  }

  /// Ends this process with the exit status or the signal of another process, given that process's status from
  /// `waitpid`.
  public static func endWithSameStatus(_ status: Int32) -> Never {
    if let signal = endingSignal(status) { gcdlab_end_by(signal) }
    exit(status >> 8 & 0xFF)
  }
}
