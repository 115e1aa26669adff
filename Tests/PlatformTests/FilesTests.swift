import Platform
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct FilesTests {
  @Test func `a file is written whole or not at all`() throws {
    let path = "/tmp/gcdlab-test-whole-\(getpid())"
    defer { unlink(path) }
    try OutputFile(path).write("first")
    #expect(readFile(path) == "first")
    // Over what was there, and a relative path is beside the working directory.
    try OutputFile(path).write("second")
    #expect(readFile(path) == "second")
  }

  @Test(arguments: [
    ("/no/such/folder/x.json", ENOENT), ("/tmp", EISDIR), ("/proc/x.json", ENOENT),
  ])
  func `a place that cannot be written is refused before`(_ path: String, _ code: Int32) {
    #expect(throws: SystemError(code, "write \(path)")) { try OutputFile(path) }
  }

  @Test func `devices are written as they are`() throws {
    try OutputFile("/dev/null").write("gone")
    #expect(throws: SystemError(ENOSPC, "write /dev/full")) { try OutputFile("/dev/full").write("too much") }
  }

  @Test func `reading tells why it cannot`() {
    #expect(throws: SystemError(ENOENT, "read /no/such")) { try readBytes("/no/such") }
    #expect(throws: SystemError(EISDIR, "read /tmp")) { try readBytes("/tmp") }
    #expect(readFile("/no/such") == nil)
  }

  @Test func `the host knows itself`() throws {
    #expect(Host.cores >= 1)
    #expect(Host.descriptorLimit > 0)
    #expect(!Host.kernel.name.isEmpty && !Host.kernel.release.isEmpty)
    #expect(Host.executablePath.hasPrefix("/"))
    let times = try #require(Host.processorTimes)
    #expect(times.busy + times.stolen <= times.total)
  }
}
