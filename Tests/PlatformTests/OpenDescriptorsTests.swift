import Testing

@testable import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The descriptors belong to the whole process, so each test runs in a process of its own.
@Suite struct OpenDescriptorsTests {
  @Test func `open descriptors are counted`() async {
    await #expect(processExitsWith: .success) {
      // The test runner and Dispatch have descriptors of their own, some of which are opened and closed at the
      // beginning.
      let isRight = (0..<1000).contains { _ in
        let before = OpenDescriptors.count()
        let opened = (0..<10).map { _ in dup(0) }
        let (more, scanned) = (OpenDescriptors.count(), OpenDescriptors.scanned())
        for descriptor in opened { close(descriptor) }
        return before != nil && OpenDescriptors.count() == before && more == before.map { $0 + 10 } && scanned == more
      }
      #expect(isRight)
    }
  }
}
