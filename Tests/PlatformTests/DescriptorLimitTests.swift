import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The limit belongs to the whole process, so these run in one of their own.
@Suite struct DescriptorLimitTests {
  @Test func `lowers the soft limit and gives it back`() async {
    await #expect(processExitsWith: .success) {
      let before = try DescriptorLimit.current()
      try DescriptorLimit.setSoft(32)
      #expect(try DescriptorLimit.current() == DescriptorLimit(soft: 32, hard: before.hard))
      #expect(DescriptorLimit.tableSize == 32)
      let free = DescriptorLimit.free(below: 32)
      var opened: [Int32] = []
      while case let descriptor = dup(0), descriptor >= 0 { opened.append(descriptor) }
      #expect(errno == EMFILE)
      #expect(opened.count == free)
      #expect(DescriptorLimit.free(below: 32) == 0)
      for descriptor in opened { close(descriptor) }
      try DescriptorLimit.setSoft(before.soft)
      #expect(try DescriptorLimit.current() == before)
    }
  }

  @Test func `says when more is asked for than the hard limit`() async {
    await #expect(processExitsWith: .success) {
      let hard = try DescriptorLimit.current().hard
      guard hard < Int(Int32.max) else { return }  // There is no limit to go beyond.
      let error = #expect(throws: SystemError.self) { try DescriptorLimit.setSoft(hard + 1) }
      #expect(error?.description.hasPrefix("cannot limit open descriptors to \(hard + 1): ") == true)
    }
  }
}
