import CDispatchSupport
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Records a trial from both sides: the worker writes its calls, and the lab collects what the scheduler reports about
/// the worker. The records survive the worker.
public final class Recorder: Sendable {
  private struct Scheduler: @unchecked Sendable {
    // Only the lab creates, reads and closes it. One thread collects the switches, and `done` reports the end of that
    // thread.
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

  /// The path that the worker opens to write its records.
  public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Creates a recorder of one trial.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory, or if the system has no such records (on Darwin the
  ///   System Trace template of Instruments shows the same).
  public init() throws(SystemError) {
    descriptor = gcdlab_trace_create()
    guard descriptor >= 0 else { throw SystemError(errno, "record a trial") }
  }

  deinit { close(descriptor) }

  /// Whether this system can record trials at all.
  public static var isAvailable: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Starts to collect what the scheduler reports about a worker. The worker has only one thread so far, which waits
  /// for its request.
  public func watch(_ process: pid_t) {
    state.withLock { state in
      state.process = Int(process)
      guard let switches = gcdlab_switches_open(process) else {
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

  /// Returns all records. Call it after the worker has ended.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory.
  public func finish() throws(SystemError) -> TraceRecord {
    var record = TraceRecord(process: 0, events: [])
    record.seesCalls = gcdlab_trace_sees_calls()
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
      // The records of each core are in order, but the cores are not.
      record.switches.sort { $0.time < $1.time }
      gcdlab_switches_close(scheduler.switches)
    }
    var count = 0
    var loss = gcdlab_trace_loss()
    guard let events = gcdlab_trace_events(descriptor, &count, &loss) else { throw SystemError(errno, "read a trace") }
    defer { free(events) }
    record.events = UnsafeBufferPointer(start: events, count: count).map(RecordedEvent.init)
    record.lost = (Int(loss.events), loss.first)
    return record
  }

  private struct Carried: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }

  // MARK: In the worker

  /// Starts to record this process into the memory that the lab has at `path`. The calling thread starts the body.
  ///
  /// - Throws: ``SystemError`` if the process cannot be recorded.
  public static func begin(into path: String) throws(SystemError) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(errno, "open the trace \(path)") }
    defer { close(descriptor) }
    let error = gcdlab_trace_begin(descriptor)
    guard error == 0 else { throw SystemError(error, "record into \(path)") }
  }

  /// Notes that the body has ended.
  public static func end() { gcdlab_trace_end() }
}

extension RecordedEvent {
  fileprivate init(_ traced: gcdlab_traced) {
    let event = traced.event
    self.init(
      Kind(rawValue: event.kind) ?? .none, at: event.time, thread: Int(traced.thread), how: Int(event.how),
      count: Int(event.count), a: event.a, b: event.b)
  }
}

extension RecordedSwitch {
  /// A report of the scheduler, by the clock of this process, which is `ahead` of the kernel's own by so much.
  fileprivate init(_ told: gcdlab_switch, ahead: UInt64) {
    self.init(
      Kind(rawValue: told.kind) ?? .lost, at: told.time &+ ahead, thread: Int(told.thread), core: Int(told.core),
      count: Int(told.count))
  }
}
