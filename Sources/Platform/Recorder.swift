import CDispatchSupport
import Synchronization

/// A recorder of one process. The process writes its calls of Dispatch, and the lab collects the scheduler's reports
/// about the process. The records remain after the process has ended.
public final class Recorder: Sendable {
  private struct Scheduler: @unchecked Sendable {
    // Only the lab creates, reads and closes the switches. One thread collects the switches. The lab joins that thread
    // before it reads the switches.
    let switches: OpaquePointer
    let collector: SystemThread
  }
  private struct State {
    var process = 0
    var scheduler: Scheduler?
    var obstacle: SystemError?
  }
  private let descriptor: Int32
  private let state = Mutex(State())
  private let stolenBefore = Recorder.stolenTicks

  /// The path of the file to which the process writes its records.
  public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Creates a recorder for one process.
  ///
  /// - Parameter recycles: whether new records overwrite old records when the memory is full. If false, new records are
  ///   lost once the memory is full.
  /// - Throws: ``SystemError`` if there is not enough memory, or if the system does not support recording (Darwin).
  public init(recycles: Bool = false) throws(SystemError) {
    descriptor = gcdlab_trace_create(recycles)
    guard descriptor >= 0 else { throw SystemError(errno, "record a trial") }
  }

  deinit { close(descriptor) }

  /// Whether this system can record trials.
  public static var isAvailable: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Starts to collect the scheduler's reports about a process. The process must have only one thread at this time. If
  /// the collection cannot start, ``obstacle`` has the reason.
  ///
  /// - Parameter follows: whether to include all processes that the watched process starts.
  public func watch(_ process: pid_t, follows: Bool = false) {
    state.withLock { state in
      state.process = Int(process)
      guard let switches = gcdlab_switches_open(process, follows) else {
        state.obstacle = SystemError(errno, "see what the scheduler does")
        return
      }
      let carried = Carried(switches)
      do throws(SystemError) {
        let collector = try SystemThread { gcdlab_switches_collect(carried.pointer) }
        state.scheduler = Scheduler(switches: switches, collector: collector)
      } catch {
        gcdlab_switches_close(switches)
        state.obstacle = error
      }
    }
  }

  /// The reason why the scheduler's reports cannot be collected; nil if the collection has not failed.
  public var obstacle: SystemError? { state.withLock { $0.obstacle } }

  /// Ends the recording, and returns all records of a worker that has ended.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory.
  public func finish() throws(SystemError) -> TraceRecord {
    var record = try read()
    record.seesCalls = gcdlab_trace_sees_calls()
    return record
  }

  /// Ends the recording, and returns the records of each program that wrote records, in the order in which the programs
  /// began. If the watched process wrote no records, the result begins with an empty record for this
  /// process.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory.
  public func finishPrograms() throws(SystemError) -> [TraceRecord] {
    gcdlab_trace_stop(descriptor)
    let whole = try read()
    let images = Dictionary(grouping: whole.events, by: \.image)
    let switches = Dictionary(grouping: whole.switches, by: \.process)
    var programs = images.sorted { ($0.value.first?.time ?? 0) < ($1.value.first?.time ?? 0) }.map { _, events in
      var record = whole
      record.events = events
      record.process = events.first { $0.kind == .image }.map { Int($0.a) } ?? whole.process
      // The records that a core has lost may belong to any process.
      record.switches = ((switches[record.process] ?? []) + whole.switches.filter { $0.kind == .lost }).sorted {
        $0.time < $1.time
      }
      return record
    }
    if !programs.contains(where: { $0.process == whole.process }) {
      var record = whole
      record.events = []
      record.seesCalls = false
      record.switches.removeAll { $0.process != whole.process && $0.kind != .lost }
      programs.insert(record, at: 0)
    }
    return programs
  }

  private static var stolenTicks: UInt64? { Host.processorTimes(of: Host.coreNumbers)?.stolen }

  /// See ``TraceRecord/stolenAtMost``. The system counts whole ticks for each core, and its counts sometimes decrease.
  private var stolenAtMost: UInt64 {
    guard let stolenBefore, let now = Self.stolenTicks else { return 0 }
    let ticks = (now > stolenBefore ? now - stolenBefore : 0) + UInt64(Host.coreNumbers.count)
    return UInt64(Double(ticks) / Host.ticksPerSecond * 1e9)
  }

  private func read() throws(SystemError) -> TraceRecord {
    var record = TraceRecord(process: 0, events: [])
    let scheduler = state.withLock { state in
      record.process = state.process
      record.obstacle = state.obstacle
      defer { state.scheduler = nil }
      return state.scheduler
    }
    if let scheduler {
      gcdlab_switches_stop(scheduler.switches)
      scheduler.collector.join()
      var count = 0
      let all = gcdlab_switches_all(scheduler.switches, &count)
      let ahead = TimeNamespace.monotonicOffset
      record.switches = UnsafeBufferPointer(start: all, count: count).map { RecordedSwitch($0, ahead: ahead) }
      // The records of one core are in order of time. The records of several cores are not.
      record.switches.sort { $0.time < $1.time }
      gcdlab_switches_close(scheduler.switches)
    }
    var count = 0
    var loss = gcdlab_trace_loss()
    guard let events = gcdlab_trace_events(descriptor, &count, &loss) else { throw SystemError(errno, "read a trace") }
    defer { free(events) }
    record.events = UnsafeBufferPointer(start: events, count: count).map(RecordedEvent.init)
    record.lost = (Int(loss.events), loss.first)
    record.overwrittenUntil = loss.until
    record.stolenAtMost = stolenAtMost
    return record
  }

  private struct Carried: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  // MARK: In the worker

  /// Starts to record this process into the lab's memory at `path`. Call this method on the thread that runs the
  /// trial's body.
  ///
  /// - Throws: ``SystemError`` if the process cannot be recorded.
  public static func begin(into path: String) throws(SystemError) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(errno, "open the trace \(path)") }
    defer { close(descriptor) }
    let error = gcdlab_trace_begin(descriptor, nil)
    guard error == 0 else { throw SystemError(error, "record into \(path)") }
  }

  /// Records the end of the trial's body.
  public static func end() { gcdlab_trace_end() }
}

extension RecordedEvent {
  fileprivate init(_ traced: gcdlab_traced) {
    let event = traced.event
    self.init(
      Kind(rawValue: event.kind) ?? .none, at: event.time, thread: Int(traced.thread), image: Int(traced.image),
      how: Int(event.how), site: Int(event.site), count: Int(event.count), a: event.a, b: event.b)
  }
}

extension RecordedSwitch {
  /// Creates a report of the scheduler. The time is converted to the clock of this process, which is `ahead`
  /// nanoseconds ahead of the kernel's clock.
  fileprivate init(_ report: gcdlab_switch, ahead: UInt64) {
    self.init(
      Kind(rawValue: report.kind) ?? .lost, at: report.time &+ ahead, thread: Int(report.thread),
      process: Int(report.process),
      core: Int(report.core), count: Int(report.count))
  }
}
