import Measurement
import Platform

/// The record of a user's program. The program is started for the record.
public struct ProgramRecording: Sendable {
  private let name: String
  private let recorder: Recorder
  private let library: RecorderFile
  private let program: SuspendedProgram

  /// The program's process.
  public var process: ChildProcess { program.process }

  /// A sentence about the calls of the program that cannot be recorded, with the reason; nil if all can.
  public let limitation: String?

  /// Starts a program that waits for ``begin()``.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - followsChildren: whether the programs that it starts are recorded, too.
  /// - Throws: ``SystemError`` if there is no such program, or if it cannot be started; ``LabError`` if nothing of the
  ///   program can be recorded.
  public init(_ command: [String], followsChildren: Bool) throws {
    guard Recorder.isAvailable else {
      throw LabError(
        "programs cannot be recorded on this system; the template System Trace of Instruments shows the same")
    }
    recorder = try Recorder(recycles: true)
    library = try RecorderFile()
    let file = try Program(named: command[0], preloading: library.path)
    name = file.path.split(separator: "/").last.map(String.init) ?? file.path
    var variables: [String: String] = [:]
    if file.kind == .dispatch || followsChildren && file.kind.passesPreloads {
      let others = Terminal.environment("LD_PRELOAD") ?? ""
      variables["LD_PRELOAD"] = library.path + (others.isEmpty ? "" : ":\(others)")
      if followsChildren { variables["GCDLAB_FOLLOW"] = "1" }
    }
    if file.kind == .linkedWithRecorder || !variables.isEmpty { variables["GCDLAB_RECORD"] = recorder.path }
    program = try SuspendedProgram(file.path, arguments: command, variables: variables)
    recorder.watch(program.process.identifier, follows: followsChildren)
    let why = file.kind.limitation(of: name, followsChildren: followsChildren)
    limitation = why
    if let why, let obstacle = recorder.obstacle, !followsChildren {
      program.process.end()
      throw InputError("nothing can be recorded: \(why), and \(obstacle)")
    }
  }

  /// Lets the program begin.
  ///
  /// - Throws: ``SystemError`` if the system cannot run it.
  public func begin() throws(SystemError) { try program.release() }

  /// Ends the record, and returns the trace of the program, and of each program that it started if those programs are
  /// recorded.
  ///
  /// - Parameters:
  ///   - end: how the program ended.
  ///   - last: the time in nanoseconds at the end of the record that is of interest; nil for the whole.
  ///   - hang: see ``Trace/Program/hang``.
  /// - Throws: ``LabError`` if there is not enough memory.
  public func finish(_ end: Trace.End, last: UInt64?, hang: UInt64) throws -> [Trace] {
    let ended = MonotonicClock.now()
    let records: [TraceRecord]
    do { records = try recorder.finishPrograms() } catch { throw LabError(error.description) }
    return records.map { record in
      TraceReader.program(
        record, name: name, cores: Host.coreNumbers, end: record.process == Int(process.identifier) ? end : .completed,
        ended: ended, last: last, hang: hang)
    }
  }
}

extension Program.Kind {
  /// Whether programs that this one starts can be recorded.
  fileprivate var passesPreloads: Bool {
    switch self {
    case .dispatch, .linkedWithRecorder, .withoutDispatch: true
    case .containsDispatch, .isStatic, .privileged, .other: false
    }
  }

  /// The reason why the calls of a program with this name cannot be recorded; nil if they can.
  fileprivate func limitation(of name: String, followsChildren: Bool) -> String? {
    let rest = "only the cores that its threads run on can be recorded"
    switch self {
    case .dispatch, .linkedWithRecorder: return nil
    case .containsDispatch:
      return "\(name) contains Dispatch, and no library can record its calls: \(rest) (link it with the flags that "
        + "'gcdlab trace --recorder recorder.o' prints, and its calls are recorded)"
    case .withoutDispatch where followsChildren: return nil
    case .withoutDispatch:
      return "\(name) does not load Dispatch: \(rest) (--children also records the programs that it starts)"
    case .isStatic: return "\(name) is linked statically, and no library can record its calls: \(rest)"
    case .privileged: return "\(name) runs with the privileges of its owner, and does not load the recorder: \(rest)"
    case .other(let why): return "the recorder cannot be loaded into \(name) (\(why)): \(rest)"
    }
  }
}
