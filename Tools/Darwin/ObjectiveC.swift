// swift-format-ignore-file
// The declarations of the overlay of <objc/objc.h> that the lab uses on Darwin, as Swift imports them. The system
// defines and documents the names.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
extension Unmanaged {
  public func autorelease() -> Unmanaged<Instance> { self }
}
