import Dispatch
import Instruments
import Synchronization

/// The code that measures the variants.
extension SignalSource {
  /// A closure that installs a receiver of a signal, and returns a closure that removes the receiver.
  typealias Begin = @Sendable (SignalInbox) -> () -> Void

  /// Returns the longest time that a trial takes on an idle machine. The time includes possible delays of a signal or
  /// of the exit of a child.
  func longest(_ trial: Trial) -> Duration? { .seconds(2) }

  /// Returns a probe that sends signals, each after the previous signal was reported, and records the latency of the
  /// reports.
  ///
  /// - Parameter ready: the maximum time to wait for the registration of a source.
  func sendOneByOne(ready: Duration = .seconds(20)) -> Probe<Begin> {
    Probe(reads: [signals], records: [latency, miscounted]) { trial, begin in
      let inbox = try SignalInbox()
      let end = begin(inbox)
      defer { end() }
      try inbox.awaitReady(within: ready)
      let count = trial[signals]
      var times: [UInt64] = []
      var (miscounted, sentSignals) = (0, 0)
      // The first signal is the warm-up.
      for number in 0...count {
        let sent = MonotonicClock.now()
        kill(getpid(), SIGUSR1)
        sentSignals += 1
        let isReported = inbox.awaitNext()
        // The sum is checked after each signal, since a surplus in one report may offset a deficit in a later report.
        miscounted = max(miscounted, abs(sentSignals - inbox.reported.count))
        guard isReported else { break }
        if number > 0, let arrival = inbox.arrival { times.append(arrival > sent ? arrival - sent : 0) }
      }
      // A handler may report the last signal again after the lab has seen its first report. If the system does not say
      // whether threads sleep, the lab does not wait for such a report.
      try? Standstill().wait()
      miscounted = max(miscounted, abs(sentSignals - inbox.reported.count))
      trial.record(latency, times)
      trial.record(self.miscounted, miscounted)
    }
  }

  /// Returns a probe that sends signals while the handler's queue is held, and counts the handler calls that report the
  /// signals.
  ///
  /// - Parameters:
  ///   - isSpaced: whether another source must report each signal before the next signal is sent. No signal is then
  ///     pending in the kernel when the next signal is sent. The other source is registered first, since Dispatch
  ///     passes a signal to the most recently registered source first.
  ///   - patience: the maximum time to wait for the report of a burst.
  func sendBurst(isSpaced: Bool = false, patience: Duration = .seconds(20)) -> Probe<Begin> {
    Probe(
      reads: [burst],
      records: [sent, reported, handlerCalls, unreportedBursts] + (isSpaced ? [reportedElsewhere] : [])
    ) { trial, begin in
      let (inbox, marks, others) = (try SignalInbox(), try SignalInbox(), try SignalInbox())
      var ends: [() -> Void] = []
      defer { for end in ends { end() } }
      if isSpaced {
        ends.append(follow(SIGUSR1, others))
        try others.awaitReady()
      }
      ends.append(begin(inbox))
      ends.append(follow(SIGUSR2, marks, on: inbox.queue))
      try inbox.awaitReady()
      try marks.awaitReady()
      let count = trial[burst]
      let hold = inbox.queue.hold()
      for _ in 0..<count {
        kill(getpid(), SIGUSR1)
        if isSpaced, !others.awaitNext(within: patience) { break }
      }
      hold.release()
      let isReported = inbox.awaitNext(within: patience)
      drain(inbox, marks)
      trial.record(sent, count)
      trial.record(reported, inbox.reported.count)
      if isSpaced { trial.record(reportedElsewhere, others.reported.count) }
      trial.record(handlerCalls, inbox.runs.count)
      trial.record(unreportedBursts, isReported ? 0 : 1)
    }
  }

  /// A probe for a body that sends `count` signals before it activates its source. The probe counts the reports of
  /// these signals.
  var sendBeforeActivation: Probe<@Sendable (SignalInbox, _ count: Int) -> () -> Void> {
    Probe(reads: [burst], records: [sent, reported]) { trial, begin in
      let (inbox, marks) = (try SignalInbox(), try SignalInbox())
      let end = begin(inbox, trial[burst])
      let endMarks = follow(SIGUSR2, marks, on: inbox.queue)
      defer {
        end()
        endMarks()
      }
      try inbox.awaitReady()
      try marks.awaitReady()
      drain(inbox, marks)
      trial.record(sent, trial[burst])
      trial.record(reported, inbox.reported.count)
    }
  }

  /// Sends SIGUSR2, and waits until SIGUSR2 is reported, but no longer than 20 seconds. All signals that were sent
  /// earlier are reported before SIGUSR2.
  private func drain(_ inbox: SignalInbox, _ marks: SignalInbox) {
    kill(getpid(), SIGUSR2)
    _ = marks.awaitNext()
    inbox.queue.drainSources()
  }

  /// Ignores a signal in the process, creates a source that reports the signal, and returns a closure that cancels the
  /// source.
  private func follow(_ number: Int32, _ inbox: SignalInbox, on queue: DispatchQueue? = nil) -> () -> Void {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue ?? inbox.queue)
    source.setEventHandler { inbox.handled(source.data) }
    source.setRegistrationHandler { inbox.recordReadiness() }
    source.activate()
    return { source.cancel() }
  }

  /// Returns a probe that starts children, lets all of them exit at the same time, and records the number of children
  /// that were not reaped exactly once and the number of handler calls.
  ///
  /// - Parameter patience: the maximum time to wait until the variant has reaped all children.
  func endChildren(
    patience: Duration = .seconds(20)
  ) -> Probe<@Sendable (SignalInbox, ChildProcesses) -> () -> Void> {
    Probe(reads: [children], records: [notReaped, handlerCalls]) { trial, begin in
      let inbox = try SignalInbox()
      let processes = try ChildProcesses(child)
      let end = begin(inbox, processes)
      defer { end() }
      try inbox.awaitReady()
      defer { processes.endAndReap() }
      for _ in 0..<trial[children] { try processes.start() }
      processes.letEnd()
      processes.awaitAll(within: patience)
      // This call returns after a running handler has ended.
      inbox.queue.sync {}
      trial.record(notReaped, processes.notReaped)
      trial.record(handlerCalls, inbox.runs.count)
    }
  }

  /// Returns a probe that sends a signal while the sender holds a lock. The sender releases the lock once the handler
  /// waits for the lock, or once `patience` has passed.
  ///
  /// - Parameter patience: the maximum time to wait until the handler waits for the lock, and then again until the
  ///   signal is reported.
  func sendWhileLocked(patience: Duration = .seconds(20)) -> Probe<Begin> {
    Probe(records: [sent, reported]) { trial, begin in
      let inbox = try SignalInbox()
      let end = begin(inbox)
      defer { end() }
      try inbox.awaitReady()
      inbox.lock.wait()
      kill(getpid(), SIGUSR1)
      inbox.awaitWaiter(within: patience)
      inbox.lock.signal()
      _ = inbox.awaitNext(within: patience)
      trial.record(sent, 1)
      trial.record(reported, inbox.reported.count)
    }
  }

  /// A probe that raises a signal on a thread that holds a lock. The signal handler acquires the same lock.
  var interruptWhileLocked: Probe<@Sendable (SignalInbox) -> Void> {
    Probe { trial, begin in
      let inbox = try SignalInbox()
      begin(inbox)
      trial.hazard()
      inbox.lock.wait()
      raise(SIGUSR1)
      inbox.lock.signal()
    }
  }

  /// Returns a probe that sends signals whose default action ends a process, each after the previous signal was
  /// reported.
  ///
  /// - Parameter patience: the maximum time to wait for the report of a signal.
  func sendToRegistered(
    _ numbers: [Int32], patience: Duration = .seconds(20)
  ) -> Probe<@Sendable (_ signal: Int32, SignalInbox) -> () -> Void> {
    Probe(records: [sent, reported]) { trial, begin in
      let each = 5
      var sum = 0
      for number in numbers {
        // The process inherits ignored signals from the lab's parent process.
        signal(number, SIG_DFL)
        let inbox = try SignalInbox()
        let end = begin(number, inbox)
        defer { end() }
        try inbox.awaitReady()
        for _ in 0..<each {
          kill(getpid(), number)
          guard inbox.awaitNext(within: patience) else { break }
        }
        sum += inbox.reported.count
      }
      trial.record(sent, numbers.count * each)
      trial.record(reported, sum)
    }
  }

  /// Returns a probe that starts a process for each fault signal. A thread of the process repeats the fault until the
  /// source reports the signal, but no longer than 20 milliseconds. The cause of the fault is then removed, so that the
  /// thread can continue.
  ///
  /// On Linux, the handler that Dispatch has installed for the signal returns, and the thread repeats the fault. The
  /// process survives until the cause is removed.
  ///
  /// - Parameter variant: the variant whose body the processes run; nil for the variant of the trial.
  func raiseFaults(as variant: String? = nil) -> Probe<@Sendable (_ signal: Int32, SignalInbox) -> Void> {
    Probe(records: [sent, reported]) { trial, begin in
      if let fault = FaultProcess.fault {
        try playFault(fault, begin) { inbox in
          let removable = try RemovableFault(fault)
          let thread = try SystemThread { removable.cause() }
          _ = inbox.awaitNext(within: .milliseconds(20))
          removable.remove()
          thread.join()
        }
      }
      try tryFaults(trial, as: variant, areBlocked: false) { _, _ in }
    }
  }

  /// Returns a probe that sends each fault signal to a process that blocks the signal in all threads and has a source
  /// for the signal.
  ///
  /// - Parameter variant: the variant whose body the processes run; nil for the variant of the trial.
  func sendToBlocking(as variant: String? = nil) -> Probe<@Sendable (_ signal: Int32, SignalInbox) -> Void> {
    Probe(records: [sent, reported]) { trial, begin in
      if let fault = FaultProcess.fault { try playFault(fault, begin) { inbox in _ = inbox.awaitNext() } }
      try tryFaults(trial, as: variant, areBlocked: true) { process, fault in kill(process, fault.number) }
    }
  }

  private func playFault(
    _ fault: Fault, _ begin: (Int32, SignalInbox) -> Void, _ play: (SignalInbox) throws -> Void
  ) throws -> Never {
    let inbox = try SignalInbox()
    begin(fault.number, inbox)
    try inbox.awaitReady()
    FaultProcess.send(0)
    try play(inbox)
    FaultProcess.send(inbox.reported.count)
    _exit(0)
  }

  private func tryFaults(
    _ trial: Trial, as variant: String?, areBlocked: Bool, _ whenRegistered: (pid_t, Fault) -> Void
  ) throws {
    var sum = 0
    for fault in Fault.allCases {
      let process = try FaultProcess(
        executable, of: Self.name, variant ?? trial.variant, fault, isBlocked: areBlocked)
      defer { process.end() }
      _ = try process.receive()
      whenRegistered(process.identifier, fault)
      sum += try process.receive()
    }
    trial.record(sent, Fault.allCases.count)
    trial.record(reported, sum)
  }
}

/// Installs a signal handler with `sigaction`. System calls that the handler interrupts are restarted.
func setSignalHandler(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  #if canImport(Darwin)
    action.__sigaction_u.__sa_handler = handler
  #else
    action.__sigaction_handler.sa_handler = handler
  #endif
  action.sa_flags = Int32(SA_RESTART)
  sigaction(signal, &action, nil)
}

/// A record of the signals that handlers report. Recording a signal takes no locks, since a signal handler may call
/// ``handled(_:)``. A pipe wakes the waiting thread.
final class SignalInbox: Sendable {
  /// The queue of a source's handler.
  let queue = DispatchQueue(label: "signals")
  /// A lock that is not recursive: a thread that acquires the lock twice deadlocks.
  let lock = DispatchSemaphore(value: 1)
  private let lastArrival = Moment()
  private let ready = DispatchSemaphore(value: 0)
  private let lockIsWanted = DispatchSemaphore(value: 0)
  private let output: Int32
  private let input: Int32

  /// The inbox of the signal handler. The inbox is a global variable, since a signal handler cannot capture values. The
  /// variable is set before the handler is installed.
  nonisolated(unsafe) static var ofHandler: SignalInbox?

  /// Creates an empty inbox.
  ///
  /// - Throws: ``SystemError`` if no descriptor is available.
  init() throws(SystemError) {
    (output, input) = try makePipe()
  }

  deinit {
    close(output)
    close(input)
  }

  // MARK: For the handlers

  /// Records a handler call that reports `data` signals.
  func handled(_ data: UInt) {
    lastArrival.set()
    reported.add(Int(data))
    runs.add()
    let before = errno
    var byte: UInt8 = 0
    _ = write(input, &byte, 1)
    errno = before
  }

  /// Acquires the lock. If another thread holds the lock, first signals the thread that waits in
  /// ``awaitWaiter(within:)``.
  func takeLock() {
    if lock.wait(timeout: .now()) == .success { return }
    lockIsWanted.signal()
    lock.wait()
  }

  /// Records that the receiver is installed. From now on, the receiver handles all signals.
  func recordReadiness() { ready.signal() }

  // MARK: For the trial

  /// Waits until the receiver of the signals is installed.
  ///
  /// - Throws: ``WaitTimeoutError`` if the receiver is not installed within `patience`.
  func awaitReady(within patience: Duration = .seconds(20)) throws {
    try ready.wait(within: patience, else: "the source was not registered")
  }

  /// Waits until a handler waits for the lock, but no longer than `patience`.
  func awaitWaiter(within patience: Duration) { lockIsWanted.wait(within: patience) }

  /// Waits for the next handler call, and returns whether it began within `patience`.
  func awaitNext(within patience: Duration = .seconds(20)) -> Bool {
    let end = MonotonicClock.now() + patience.nanoseconds
    while true {
      let now = MonotonicClock.now()
      var waited = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let found = poll(&waited, 1, now < end ? Int32((end - now) / 1_000_000 + 1) : 0)
      if found < 0, errno == EINTR { continue }
      guard found > 0 else { return false }
      var byte: UInt8 = 0
      if read(output, &byte, 1) == 1 { return true }
    }
  }

  /// The number of signals that all handler calls together reported.
  let reported = Tally()
  /// The number of handler calls.
  let runs = Tally()
  /// The time at which the last handler call began, in nanoseconds of the monotonic clock; nil before the first call.
  var arrival: UInt64? { lastArrival.time }
}

/// Child processes that exit at the end of their standard input.
final class ChildProcesses: Sendable {
  private struct State {
    var started: [ChildProcess] = []
    var statuses: [pid_t: [Int32]] = [:]

    /// The number of children that were not reaped exactly once, or whose status is not that of a normal exit.
    var notReaped: Int {
      started.count { statuses[$0.identifier]?.count != 1 || statuses[$0.identifier]?.first.map { $0 & 0x7f } != 0 }
    }
  }
  private let command: (executable: ExecutableFile, arguments: [String])
  private let ends: Mutex<(reader: Int32, writer: Int32)>
  private let state = WaitableValue(State())

  /// Prepares to start children.
  ///
  /// - Parameter command: the executable and the arguments of each child.
  /// - Throws: ``SystemError`` if no descriptor is available.
  init(_ command: (executable: ExecutableFile, arguments: [String])) throws(SystemError) {
    self.command = command
    ends = Mutex(try makePipe())
  }

  deinit { letEnd() }

  /// Starts a child.
  ///
  /// - Throws: ``SystemError`` if the child cannot be started.
  func start() throws(SystemError) {
    // The output of the child at its exit is discarded.
    let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(silence) }
    let input = ends.withLock { $0.reader }
    let child = try ChildProcess(
      command.executable, command.arguments, environment: [:],
      descriptors: [STDIN_FILENO: input, STDOUT_FILENO: silence, STDERR_FILENO: silence])
    state.note { $0.started.append(child) }
  }

  /// Closes the standard input of all children, so that they exit.
  func letEnd() {
    let ends = ends.withLock { ends in
      defer { ends = (-1, -1) }
      return [ends.reader, ends.writer]
    }
    for end in ends where end >= 0 { close(end) }
  }

  /// Records that `child` was reaped with `status`.
  func reaped(_ child: pid_t, _ status: Int32) { state.note { $0.statuses[child, default: []].append(status) } }

  /// Waits until each child has been reaped exactly once with the status of a normal exit, but no longer than
  /// `patience`.
  func awaitAll(within patience: Duration) { state.wait(within: patience) { $0.notReaped == 0 } }

  /// The number of children that were not reaped exactly once, or whose status is not that of a normal exit.
  var notReaped: Int { state.notReaped }

  /// The process identifiers of all started children.
  var started: [pid_t] { state.started.map(\.identifier) }

  /// Ends and reaps all children that have not been reaped.
  func endAndReap() {
    letEnd()
    for child in state.started where state.statuses[child.identifier] == nil {
      kill(child.identifier, SIGKILL)
      child.wait()
    }
  }
}
