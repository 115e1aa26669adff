import Measurement
import Platform

extension Runner {
  /// Records one trial of each variant at each point of a plan, and returns the traces. These trials are not measured.
  /// If the task is cancelled, returns the traces that were recorded until then.
  ///
  /// - Throws: ``LabError`` if trials cannot be recorded, or if a worker cannot be run.
  public func traces(_ plan: Plan, observer: (any RunObserver)? = nil) async throws -> [Trace] {
    guard Recorder.isAvailable else {
      throw LabError(
        "trials cannot be recorded on this system; use the System Trace template in Instruments instead")
    }
    let worker = WorkerProcess(executable: executable)
    let machine = confined(plan)
    var traces: [Trace] = []
    let start = MonotonicClock.now()
    for (index, run) in plan.runs.enumerated() where !Task.isCancelled {
      let elapsed = Duration.nanoseconds(Int64(MonotonicClock.now() &- start))
      observer?.trialStarts(run, RunProgress(round: 0, done: index, total: plan.runs.count, elapsed: elapsed))
      if let trace = try await trace(of: run, plan, on: machine, by: worker) { traces.append(trace) }
    }
    return traces
  }

  /// Records a trial of `run` and returns its trace; nil if the task was cancelled before the body had begun.
  private func trace(of run: VariantRun, _ plan: Plan, on machine: Machine, by worker: WorkerProcess) async throws
    -> Trace?
  {
    let record: TraceRecord
    var outcome: Outcome?
    do {
      let recorder = try Recorder()
      do {
        outcome =
          try await trial(of: run, plan, 0, on: machine, in: nil, knowing: [:], by: worker, recorder: recorder).trial
          .outcome
      } catch is CancellationError {}
      record = try recorder.finish()
    } catch let error as SystemError { throw LabError(error.description) }
    if outcome == nil, !record.events.contains(where: { $0.kind == .bodyBegins }) { return nil }
    let end: Trace.End =
      switch outcome {
      case .completed: .completed
      case .hung: .hung
      case .trapped(let signal): .trapped(signal: signal)
      case .stopped, .broken, .unavailable, nil: .other(outcome?.reason ?? "interrupted")
      }
    var trace = TraceReader.trace(
      record, scenario: plan.experiment.name, variant: run.variant.name, point: run.point.label,
      cores: run.cores.flatMap { machine.confinedTo?.prefix($0).sorted() } ?? Host.coreNumbers,
      end: end)
    trace.isForeseen = end.isForeseen(by: run.variant.ending.name)
    return trace
  }
}

extension Experiment {
  /// The variant that is recorded unless others are chosen: the first documented variant. If most variants hang or
  /// trap, the scenario is about these endings, and the variant is the first that hangs, or else traps. Nil if the
  /// experiment has no variants.
  package var typicalVariant: Variant? {
    let unending = variants.filter { $0.ending != .completes }
    return 2 * unending.count > variants.count
      ? unending.first { !$0.ending.isTrap } ?? unending.first
      : variants.first { $0.role == .documented } ?? variants.first
  }
}
