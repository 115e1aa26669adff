import LabTesting
import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The limit belongs to the whole process, so each test runs in a process of its own.
@Suite struct DescriptorLimitTests {
  @Test func `the soft limit on descriptors can be lowered and restored`() async {
    await #expect(processExitsWith: .success) {
      let before = try DescriptorLimit.current()
      try DescriptorLimit.setSoft(32)
      #expect(try DescriptorLimit.current() == DescriptorLimit(soft: 32, hard: before.hard))
      #expect(DescriptorLimit.tableSize == 32)
      // A thread of the runtime may open or close a descriptor meanwhile, but not in each attempt.
      let isSo = (0..<100).contains { _ in
        let free = DescriptorLimit.free(below: 32)
        var opened: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { opened.append(descriptor) }
        let reason = errno, left = DescriptorLimit.free(below: 32)
        for descriptor in opened { close(descriptor) }
        return reason == EMFILE && opened.count == free && left == 0
      }
      #expect(isSo)
      try DescriptorLimit.setSoft(before.soft)
      #expect(try DescriptorLimit.current() == before)
    }
  }

  @Test func `a limit above the hard limit is refused`() async throws {
    if try DescriptorLimit.current().hard >= Int(Int32.max) { try skip("the descriptors have no hard limit") }
    await #expect(processExitsWith: .success) {
      let hard = try DescriptorLimit.current().hard
      let error = #expect(throws: SystemError.self) { try DescriptorLimit.setSoft(hard + 1) }
      #expect(error?.description.hasPrefix("cannot limit open descriptors to \(hard + 1): ") == true)
    }
  }

  #if os(Linux)
    @Test func `the descriptor table is grown once, and no descriptor is left open`() async throws {
      if try DescriptorLimit.current().soft < 1024 { try skip("the limit of descriptors is below 1024") }
      await #expect(processExitsWith: .success) {
        /// Returns the size of the kernel's descriptor table of this process.
        func size() -> Int? {
          readFile("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("FDSize:") }
            .flatMap { Int($0.dropFirst("FDSize:".count).trimmingPrefix { $0.isWhitespace }) }
        }
        try #require(size().map { $0 < 1024 } == true)
        DescriptorLimit.growTable(to: 1024)
        #expect(size() == 1024)
        #expect(fcntl(1023, F_GETFD) == -1 && errno == EBADF)
      }
    }
  #endif
}
