import Platform

/// The periods in which a record is incomplete.
struct RecordedGaps {
  private(set) var gaps: [Trace.Gap] = []
  private let time: RecordedTime
  /// The time of the last report of each core.
  private var lastOf: [Int: UInt64] = [:]

  /// Creates the gaps in the record of calls. The method ``read(_:)`` adds the gaps in the scheduler's record.
  init(_ record: TraceRecord, in time: RecordedTime) {
    self.time = time
    if record.lost.first > 0 {
      gaps = [Trace.Gap(.calls, begin: time.at(record.lost.first), end: time.length, lost: record.lost.events)]
    } else if record.overwrittenUntil > time.start {
      gaps = [Trace.Gap(.calls, begin: 0, end: time.at(record.overwrittenUntil), lost: record.lost.events)]
    }
  }

  mutating func read(_ report: RecordedSwitch) {
    let last = lastOf[report.core] ?? 0
    if report.kind == .lost, report.time > time.start, last < time.end {
      gaps.append(Trace.Gap(.scheduler, begin: time.at(last), end: time.at(report.time), lost: report.count))
    }
    lastOf[report.core] = report.time
  }
}

extension TraceRecord {
  /// Returns the records that could not be made, with the reasons.
  func missing(isProgram: Bool) -> [Trace.Missing] {
    var missing: [Trace.Missing] = []
    if !seesCalls {
      let why =
        isProgram
        ? "the program has not loaded Dispatch"
        : "this binary is linked dynamically; the binary of make build shows them"
      missing.append(Trace.Missing(.calls, why: "blocks and waits are not seen: \(why)"))
    }
    if let obstacle {
      missing.append(
        Trace.Missing(
          .scheduler,
          why:
            "which thread ran where is not seen: \(obstacle); sysctl kernel.perf_event_paranoid=2, and a seccomp "
            + "profile that lets perf_event_open pass, show it"))
    }
    return missing
  }
}
