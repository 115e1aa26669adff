/// The part of the record that a trace shows, in monotonic nanoseconds.
struct RecordedTime {
  let start: UInt64
  let length: UInt64

  /// Creates the time from one moment to another one.
  init(from start: UInt64, until end: UInt64) {
    self.start = start
    length = max(1, end - min(start, end))
  }

  var end: UInt64 { start + length }

  func contains(_ time: UInt64) -> Bool { time >= start && time <= end }

  /// Returns a monotonic time as the time since the start, which is never outside of this part.
  func at(_ time: UInt64) -> UInt64 { min(time > start ? time - start : 0, length) }
}
