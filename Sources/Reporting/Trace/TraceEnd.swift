import Laboratory

extension Trace.End {
  /// The end of the trial as text: `completed`, `hung`, `trapped: SIGILL`, or the description of another end.
  var text: String {
    switch self {
    case .completed: Outcome.Kind.completed.rawValue
    case .hung: Outcome.Kind.hung.rawValue
    case .trapped(let signal): "\(Outcome.Kind.trapped.rawValue): \(SignalName.name("\(signal)", on: "Linux"))"
    case .other(let reason): reason
    }
  }
}

extension Trace {
  /// The end of the trial in words, with a remark if the end was intended: `hung, as intended`. For a program that a
  /// signal ended, the text is `ended by SIGILL`.
  var endText: String {
    if program != nil, case .trapped(let signal) = end {
      return "ended by \(SignalName.name("\(signal)", on: "Linux"))"
    }
    return end.text + (isForeseen ? ", as intended" : "")
  }

  /// The length of the part of the trace that is drawn, in nanoseconds. The trace of a hang is drawn only until shortly
  /// after its last event.
  var drawnLength: UInt64 {
    guard end == .hung else { return length }
    var last = blocks.reduce(UInt64(0)) { max($0, $1.submitted ?? 0, $1.begin ?? 0, $1.end ?? 0) }
    for lane in lanes {
      for wait in lane.waits { last = max(last, wait.begin, wait.end ?? 0) }
      for run in lane.runs where run.end < length { last = max(last, run.end) }
    }
    return min(length, max(last + last / 3, 1000))
  }

  /// Returns the time span of the trace that is drawn, in nanoseconds. If `from` is nil, the time span begins shortly
  /// before the first submission of a block. If `to` is nil, the time span ends at ``drawnLength``.
  func drawn(from: UInt64?, to: UInt64?) -> (begin: UInt64, end: UInt64) {
    let end = to ?? drawnLength
    let before = (end - min(opening, end)) / 20
    let begin = from ?? (opening > before ? opening - before : 0)
    return (min(begin, length, end), end)
  }

  /// Returns notes on the events that the record lacks and, for a hang, on the time after the end of the picture.
  ///
  /// - Parameter end: the time at the end of the picture, in nanoseconds.
  func remarks(drawnTo end: UInt64) -> [String] {
    let overwritten = program?.overwritten.map {
      "the trace begins where the record is complete: \($0.withCommas) earlier events were overwritten"
    }
    let lost = gaps.grouped(by: \.record).map { record, gaps in
      let times =
        gaps.count > 1
        ? "in \(gaps.count) gaps" : "between \(TraceFigures.text(gaps[0].begin)) and \(TraceFigures.text(gaps[0].end))"
      let what = record == .calls ? "events of blocks and waits" : "of the scheduler's records"
      return "\(gaps.reduce(0) { $0 + $1.lost }) \(what) were lost \(times), drawn as ?"
    }
    let rest =
      self.end == .hung && end < length
      ? "nothing more happens until \(TraceFigures.text(length)), when the lab ends it" : nil
    return missing.map(\.why) + [overwritten].compactMap(\.self) + lost + [rest].compactMap(\.self)
  }
}
