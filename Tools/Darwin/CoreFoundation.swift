// swift-format-ignore-file
// The declarations of CoreFoundation (<CoreFoundation/CFRunLoop.h>) that the lab uses on Darwin, as Swift imports them.
// The system defines and documents the names.
public struct CFRunLoopMode: Sendable {
  public static var defaultMode: CFRunLoopMode { CFRunLoopMode() }
}
public enum CFRunLoopRunResult: Int32, Sendable {
  case finished = 1
  case stopped = 2
  case timedOut = 3
  case handledSource = 4
}
public typealias CFTimeInterval = Double
@discardableResult public func CFRunLoopRunInMode(_: CFRunLoopMode!, _: CFTimeInterval, _: Bool) -> CFRunLoopRunResult { .finished }
