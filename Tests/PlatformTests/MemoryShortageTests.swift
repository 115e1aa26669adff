import Testing

@testable import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if os(Linux)
  @Suite struct MemoryShortageTests {
    /// This process uses more than a page of memory, and far less than a petabyte.
    @Test(arguments: ["-d", "-v"])
    func `a shortage is found if the memory limit leaves no room for a stack`(_ option: String) throws {
      let shortage = try #require(MemoryShortage(of: getpid(), limits: [(option, 4096)]))
      #expect(shortage.limit == 4096 && shortage.used > 4096)
      #expect(shortage.description.hasSuffix(" of 4 KiB are in use (ulimit \(option))"), "\(shortage)")
      // Room for one page is not enough for a stack.
      #expect(MemoryShortage(of: getpid(), limits: [(option, shortage.used + 4096)]) != nil)
      #expect(MemoryShortage(of: getpid(), limits: [(option, 1 << 50)]) == nil)
    }

    @Test func `a process that has no limit or does not exist has no memory shortage`() {
      #expect(MemoryShortage(of: getpid(), limits: []) == nil)
      #expect(MemoryShortage(of: -1, limits: [("-d", 4096)]) == nil)
    }
  }
#endif

@Suite struct TimeNamespaceTests {
  @Test(arguments: [
    ("monotonic           0         0\nboottime            0         0\n", 0),
    ("monotonic       86400 500000000\nboottime           10         0\n", 86_400_500_000_000),
    ("monotonic        -100 250000000\nboottime            0         0\n", -99_750_000_000),
    ("1 5 1\n7 6 0\n", 5_000_000_001), ("", 0), ("boottime 7 0\n", 0), ("monotonic much 0\n", 0),
  ])
  func `the offset of a time namespace's monotonic clock is parsed`(_ text: String, _ offset: Int64) {
    #expect(TimeNamespace.monotonicOffset(in: text) == UInt64(bitPattern: offset))
  }
}
