import Dispatch
import Instruments
import Synchronization

/// The code that starts real processes and records the reports of their exits.
extension ProcessMonitorPattern {
  /// Returns the longest time that a trial takes on an idle machine: for each process, the time of two workers that are
  /// started one after another, and of the observation of their threads.
  func longest(_ trial: Trial) -> Duration? { .milliseconds(100) * (trial[processes] + 1) * 3 }

  /// Returns a probe that starts children one after another. The variant watches each child, and the trial requests the
  /// child's exit.
  ///
  /// - Parameters:
  ///   - areDead: whether the children exit before they are watched.
  ///   - patience: the maximum time to wait for the report of an exit.
  func watchChildren(
    areDead: Bool = false, patience: Duration = .seconds(20)
  ) -> Probe<@Sendable (_ child: pid_t, _ watch: ChildWatch) throws -> Void> {
    Probe(
      reads: [processes],
      records: [unreportedExits, repeatedReports, wrongStatus, leakedDescriptors, leakedChildren]
        + (areDead ? [] : [reportLatency])
    ) { trial, begin in
      if let role = WorkerRole.ofThisProcess { role.playChild() }
      ignoreBrokenPipes()
      let resources = ResourceCounts()
      var (unreported, reportedAgain, wrongStatus, notReaped) = (0, 0, 0, 0)
      var notices: [UInt64] = []
      // The first child is a warm-up.
      for index in 0...trial[processes] {
        let status = Int32(1 + index % 100)
        let line = try MessageChannel(resources)
        let lifeline = try MessageChannel(resources, to: request(trial.variant))
        let child = try ChildProcess(
          executable, ["worker"], environment: WorkerRole.child(status).environment,
          descriptors: [
            STDIN_FILENO: lifeline.processEnd, STDOUT_FILENO: STDERR_FILENO, WorkerRole.line: line.processEnd,
          ])
        line.handOver()
        lifeline.handOver()
        let watch = ChildWatch()
        if areDead {
          line.send(.go)
          child.waitUntilEnded()
        }
        try begin(child.identifier, watch)
        if !areDead { line.send(.go) }
        let lastStep = line.receive().time
        let isReported = watch.state.wait(within: patience) { !$0.reported.isEmpty }
        watch.state.wait(within: isReported ? .seconds(20) : .zero, until: \.isOver)
        watch.queue.sync {}
        line.close()
        lifeline.close()
        let reported = watch.state.reported
        var statuses = reported.compactMap(\.status)
        if statuses.isEmpty {
          unreported += 1
          if let status = child.waitForStatus() {
            notReaped += 1
            statuses.append(status)
          }
        }
        if statuses.contains(where: ChildProcess.wasKilled) { throw Unavailable.killed }
        if reported.count > 1 { reportedAgain += 1 }
        if let first = reported.first?.status, ChildProcess.exitStatus(first) != status { wrongStatus += 1 }
        if index > 0, let first = reported.first, let lastStep {
          notices.append(first.time > lastStep ? first.time - lastStep : 0)
        }
      }
      if !areDead { trial.record(reportLatency, notices) }
      trial.record(unreportedExits, unreported)
      trial.record(repeatedReports, reportedAgain)
      trial.record(self.wrongStatus, wrongStatus)
      trial.record(leakedDescriptors, resources.leftOpen)
      trial.record(leakedChildren, notReaped + ChildProcess.leftOver())
    }
  }

  /// Returns a probe that starts parents one after another and requests their exit. Each parent starts a child, which
  /// runs the variant's body to watch its parent.
  ///
  /// - Parameters:
  ///   - ends: the moments at which the parents exit.
  ///   - isTimed: whether the latency of the report is recorded.
  ///   - variant: the variant whose body the child runs; nil for the variant of the trial.
  func watchParents(
    parentsThatEnd ends: ParentEnds, isTimed: Bool = true, as variant: String? = nil
  ) -> Probe<@Sendable (_ watch: ParentWatch) throws -> Void> {
    Probe(
      reads: [processes],
      records: [unreportedExits, leakedDescriptors, leakedChildren] + (isTimed ? [reportLatency] : [])
    ) { trial, begin in
      if let role = WorkerRole.ofThisProcess { try role.playParentOrItsChild(executable, begin) }
      ignoreBrokenPipes()
      // If this process cannot adopt the orphans, another process, usually the system's first, adopts the orphans and
      // collects their statuses.
      let adopts = ChildProcess.adoptOrphans()
      let resources = ResourceCounts()
      var unreported = 0
      var notices: [UInt64] = []
      for index in 0...trial[processes] {
        let latency = try endParent(at: ends.moment(index), variant ?? trial.variant, adopts: adopts, resources)
        if latency == nil { unreported += 1 }
        if index > 0, let latency { notices.append(latency) }
      }
      if isTimed { trial.record(reportLatency, notices) }
      trial.record(unreportedExits, unreported)
      trial.record(leakedDescriptors, resources.leftOpen)
      trial.record(leakedChildren, ChildProcess.leftOver())
    }
  }

  /// Starts a parent and its child, and requests the exit of the parent at a moment in the child's progress. The child
  /// watches the parent.
  ///
  /// - Parameters:
  ///   - variant: the variant whose body the child runs.
  ///   - adopts: whether this process adopts the child.
  /// - Returns: the nanoseconds from the parent's last action until the child detected the exit; nil if the child did
  ///   not detect the exit.
  private func endParent(
    at end: ParentEnd, _ variant: String, adopts: Bool, _ resources: ResourceCounts
  ) throws -> UInt64? {
    let (toParent, toChild) = (try MessageChannel(resources), try MessageChannel(resources))
    let lifelines = try (0..<2).map { _ in try MessageChannel(resources, to: request(variant)) }
    let parent = try ChildProcess(
      executable, ["worker"], environment: WorkerRole.parent.environment,
      descriptors: [
        STDIN_FILENO: lifelines[0].processEnd, STDOUT_FILENO: STDERR_FILENO, WorkerRole.line: toParent.processEnd,
        WorkerRole.childLine: toChild.processEnd, WorkerRole.childInput: lifelines[1].processEnd,
      ])
    let lines = [toParent, toChild] + lifelines
    for line in lines { line.handOver() }
    let latency: UInt64?
    var statuses: [Int32] = []
    do {
      // The child reports its progress, up to the moment at which its parent must exit.
      for moment in ParentEnd.allCases where moment.rawValue <= end.rawValue {
        guard toChild.receive().message == moment.message else { throw MissingMessage() }
        if moment != end { toChild.send(.go) }
      }
      toParent.send(.go)
      // If another program killed the parent, the parent may have exited at a moment other than `end`.
      guard let lastStep = toParent.receive().time else { throw MissingMessage() }
      if let status = parent.waitForStatus() { statuses.append(status) }
      toChild.send(.go)
      for moment in ParentEnd.allCases where moment.rawValue > end.rawValue {
        guard toChild.receive().message == moment.message else { throw MissingMessage() }
        toChild.send(.go)
      }
      let answer = toChild.receive()
      switch (answer.message, answer.time) {
      case (.reported, let reported?): latency = reported > lastStep ? reported - lastStep : 0
      case (.unreported, _): latency = nil
      default: throw MissingMessage()
      }
      // The child exits now, which closes its end of the socket pair.
      _ = toChild.receive()
    } catch is MissingMessage {
      for line in lines { line.close() }
      statuses += ChildProcess.waitForAll()
      if statuses.contains(where: ChildProcess.wasKilled) { throw Unavailable.killed }
      throw MissingMessage()
    }
    if adopts { ChildProcess.waitForAny() }
    for line in lines { line.close() }
    return latency
  }

  /// Returns a probe that starts a child and counts the unreported events of the child. The child forks, replaces its
  /// program and receives a signal.
  ///
  /// - Parameter patience: the maximum time to wait for the report of each event.
  func watchEvents(
    patience: Duration = .seconds(2)
  ) -> Probe<@Sendable (_ child: pid_t, _ events: ReportedEvents) throws -> () -> Void> {
    Probe(records: [unreportedEvents, leakedDescriptors, leakedChildren]) { trial, begin in
      ignoreBrokenPipes()
      let resources = ResourceCounts()
      let line = try MessageChannel(resources)
      let child = try ChildProcess(
        ExecutableFile("/bin/sh"), ["-c", "read line; /bin/ls / >&2; exec /bin/cat"], environment: [:],
        descriptors: [STDIN_FILENO: line.processEnd, STDOUT_FILENO: STDERR_FILENO])
      line.handOver()
      let events = ReportedEvents()
      do {
        defer {
          line.close()
          child.wait()
        }
        let end = try begin(child.identifier, events)
        defer { end() }
        try writeAll("go\n", to: line.trialEnd)
        events.all.wait(within: patience) { $0.isSuperset(of: [.fork, .exec]) }
        kill(child.identifier, SIGURG)
        events.all.wait(within: patience) { $0.contains(.signal) }
      }
      trial.record(unreportedEvents, ReportedEvents.Event.allCases.count - events.all.count)
      trial.record(leakedDescriptors, resources.leftOpen)
      trial.record(leakedChildren, ChildProcess.leftOver())
    }
  }

  /// Returns the request that makes a worker run the body of `variant`.
  private func request(_ variant: String) -> TrialRequest { TrialRequest(pattern: Self.name, variant: variant) }
}

/// The moment at which a parent exits, in terms of its child's progress.
enum ParentEnd: Int, CaseIterable {
  /// The child runs, and has not read its parent's identifier.
  case hasStarted
  /// The child has read its parent's identifier, and does not watch the parent yet.
  case knows
  /// The child watches its parent.
  case isWatched

  fileprivate var message: ProcessMessage {
    switch self {
    case .hasStarted: .started
    case .knows: .knows
    case .isWatched: .watches
    }
  }
}

/// The moments at which the parents of a trial exit.
enum ParentEnds: Equatable {
  /// Each parent exits at this moment in the progress of its child.
  case fixed(ParentEnd)
  /// Each parent exits at the next of the possible moments; the first follows the last.
  case always

  fileprivate func moment(_ index: Int) -> ParentEnd {
    switch self {
    case .fixed(let moment): moment
    case .always: ParentEnd.allCases[index % ParentEnd.allCases.count]
    }
  }
}

extension Unavailable {
  /// The error that is thrown if a process of the trial was killed before its role ended. The result of such a trial
  /// does not depend on the variant.
  static let killed = Unavailable(
    "signal 9, sent by another program or for lack of memory or processor time, ended a process of the trial")
}

/// The error that is thrown if a process ended before it had sent all its messages.
private struct MissingMessage: Error, CustomStringConvertible {
  var description: String { "a process of the trial ended too early" }
}
