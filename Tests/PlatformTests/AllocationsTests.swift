import LabTesting
import Testing

@testable import Platform

@Suite struct AllocationsTests {
  @Test func `the allocations of the body are counted if the build supports it`() async throws {
    var buffer: UnsafeMutableRawPointer?
    let made = await Allocations.during { buffer = .allocate(byteCount: 1000, alignment: 8) }
    #expect(buffer != nil)
    buffer?.deallocate()
    // Other tests allocate at the same time.
    guard let made else { try skip("this build does not count allocations") }
    #expect(made.count >= 1 && made.bytes >= 1000)
  }

  @Test func `an allocation increases the heap in use`() throws {
    guard let before = Host.heapInUse else { try skip("the system does not report the heap in use") }
    // The size is so large that memory which other tests free meanwhile is insignificant.
    let size = 256 << 20
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    let after = try #require(Host.heapInUse)
    #expect(after - before > size / 2)
  }
}
