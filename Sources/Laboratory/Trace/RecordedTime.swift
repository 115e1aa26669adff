/// The period of the record that a trace shows, in monotonic nanoseconds.
struct RecordedTime {
  let start: UInt64
  let length: UInt64

  /// Creates the period from `start` until `end`.
  init(from start: UInt64, until end: UInt64) {
    self.start = start
    length = max(1, end - min(start, end))
  }

  var end: UInt64 { start + length }

  func contains(_ time: UInt64) -> Bool { time >= start && time <= end }

  /// Returns the time from the start to `time`, limited to the period: at least 0 and at most ``length``.
  func at(_ time: UInt64) -> UInt64 { min(time > start ? time - start : 0, length) }
}
