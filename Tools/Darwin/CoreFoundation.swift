// swift-format-ignore-file
// (Each name is that of the system, where its documentation is.)
// What the lab uses of CoreFoundation on Darwin (<CoreFoundation/CFRunLoop.h>), as Swift sees it there.
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
