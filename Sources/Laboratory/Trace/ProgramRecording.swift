import Measurement
import Platform

/// A recording of a user's program. The lab starts the program for the recording.
public struct ProgramRecording: Sendable {
  private let name: String
  private let recorder: Recorder
  private let library: RecorderFile
  private let program: SuspendedProgram
  /// The reason why the record has no calls, if the program's file shows the reason; nil otherwise.
  private let whyNoCalls: String?

  /// The process of the program.
  public var process: ChildProcess { program.process }

  /// A sentence about the calls that cannot be recorded, with the reason; nil if all calls of the program can be
  /// recorded. The value is also nil if the program does not load Dispatch and the programs that it starts are
  /// recorded.
  public let limitation: String?

  /// Starts a program that waits until ``begin()`` is called.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - followsChildren: whether to also record the programs that the program starts.
  /// - Throws: ``SystemError`` if the program does not exist or cannot be started; ``LabError`` if no program can be
  ///   recorded on this system; ``InputError`` if nothing of this program can be recorded.
  public init(_ command: [String], followsChildren: Bool) throws {
    guard Recorder.isAvailable else {
      throw LabError(
        "programs cannot be recorded on this system; use the System Trace template in Instruments instead")
    }
    recorder = try Recorder(recycles: true)
    library = try RecorderFile()
    let file = try Program(named: command[0], preloading: library.path)
    whyNoCalls = file.kind.whyNoCalls
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

  /// Resumes the program, which has been waiting since it was started.
  ///
  /// - Throws: ``SystemError`` if the system cannot run the program.
  public func begin() throws(SystemError) { try program.release() }

  /// Ends the recording, and returns the trace of the program. If the programs that the program started are recorded,
  /// returns the traces of these programs as well.
  ///
  /// - Parameters:
  ///   - end: the way in which the program ended.
  ///   - last: the length of the trace in nanoseconds, counted back from the end of the record; nil for the whole
  ///     record.
  ///   - hang: see ``Trace/Program/hang``.
  /// - Throws: ``LabError`` if there is not enough memory.
  public func finish(_ end: Trace.End, last: UInt64?, hang: UInt64) throws -> [Trace] {
    let ended = MonotonicClock.now()
    let records: [TraceRecord]
    do { records = try recorder.finishPrograms() } catch { throw LabError(error.description) }
    return records.map { record in
      var trace = TraceReader.program(
        record, name: name, cores: Host.coreNumbers, end: record.process == Int(process.identifier) ? end : .completed,
        ended: ended, last: last, hang: hang)
      if let whyNoCalls, let place = trace.missing.firstIndex(where: { $0.record == .calls }) {
        trace.missing[place] = Trace.Missing(.calls, why: whyNoCalls)
      }
      return trace
    }
  }
}

extension Program.Kind {
  /// Whether programs that a program of this kind starts can be recorded.
  fileprivate var passesPreloads: Bool {
    switch self {
    case .dispatch, .linkedWithRecorder, .withoutDispatch: true
    case .containsDispatch, .isStatic, .privileged, .other: false
    }
  }

  /// The reason why the record of the program has no calls; nil if calls can be recorded.
  fileprivate var whyNoCalls: String? {
    switch self {
    case .dispatch, .linkedWithRecorder: nil
    case .withoutDispatch: "the program submitted nothing to Dispatch: it does not load Dispatch"
    case .containsDispatch:
      "blocks and waits are not seen: the program contains Dispatch, and is not linked with the recorder"
    case .isStatic, .privileged, .other: "blocks and waits are not seen: the program does not load the recorder"
    }
  }

  /// Returns the reason why the calls of the program called `name` cannot be recorded. Returns nil if the calls can be
  /// recorded, or if the program does not load Dispatch and the programs that it starts are recorded.
  fileprivate func limitation(of name: String, followsChildren: Bool) -> String? {
    let rest = "only the cores that its threads run on can be recorded"
    switch self {
    case .dispatch, .linkedWithRecorder: return nil
    case .containsDispatch:
      return "\(name) contains Dispatch, and no library can record its calls: \(rest) (link it with the flags that "
        + "'\(Tool.command) trace --recorder recorder.o' prints, and its calls are recorded)"
    case .withoutDispatch where followsChildren: return nil
    case .withoutDispatch:
      return "\(name) does not load Dispatch: \(rest) (--children also records the programs that it starts)"
    case .isStatic: return "\(name) is linked statically, and no library can record its calls: \(rest)"
    case .privileged: return "\(name) runs with the privileges of its owner, and does not load the recorder: \(rest)"
    case .other(let why): return "the recorder cannot be loaded into \(name) (\(why)): \(rest)"
    }
  }
}
