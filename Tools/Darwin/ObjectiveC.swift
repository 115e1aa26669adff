// swift-format-ignore-file
// (Each name is that of the system, where its documentation is.)
// What the lab uses of the overlay of <objc/objc.h>, as Swift sees it there.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
extension Unmanaged {
  public func autorelease() -> Unmanaged<Instance> { self }
}
