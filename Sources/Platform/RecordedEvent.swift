/// An event of a recorded process, as the process wrote it.
public struct RecordedEvent: Sendable, Equatable {
  /// The kinds of events. `CDispatchSupport/include/Trace.h` defines the numbers that events of each kind contain.
  public enum Kind: UInt8, Sendable {
    case none, bodyBegins, bodyEnds, submit, begin, end, wait, waited, queue, text, item, account, thread, image, site
    case calls, module, cancel, holds
  }
  /// The time of the event in monotonic nanoseconds.
  public var time: UInt64
  /// The number of the thread that wrote the event.
  public var thread: Int
  /// The number of the program that the thread executed, from 1, in the order in which the programs began.
  public var image: Int
  /// The kind of the event.
  public var kind: Kind
  /// The kind of the block, the wait or the queue, as a raw value of the C enumeration for ``kind``.
  public var how: Int
  /// The number of the call's stack; 0 if the stack is not known.
  public var site: Int
  /// The number of iterations, of text parts or of calls, or the duration of a submission in nanoseconds, depending on
  /// ``kind``.
  public var count: Int
  /// The first value of the event. The meaning of the value depends on ``kind``.
  public var a: UInt64
  /// The second value of the event. The meaning of the value depends on ``kind``.
  public var b: UInt64

  /// Creates an event from its properties.
  public init(
    _ kind: Kind, at time: UInt64, thread: Int, image: Int = 1, how: Int = 0, site: Int = 0, count: Int = 0,
    a: UInt64 = 0, b: UInt64 = 0
  ) {
    self.time = time
    self.thread = thread
    self.image = image
    self.kind = kind
    self.how = how
    self.site = site
    self.count = count
    self.a = a
    self.b = b
  }
}
