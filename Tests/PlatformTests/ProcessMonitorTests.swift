import Dispatch
import Testing

@testable import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ProcessMonitorTests {
  /// Starts a shell that runs `script`.
  private static func shell(_ script: String, _ descriptors: [Int32: Int32] = [:]) throws -> ChildProcess {
    try ChildProcess(
      ExecutableFile("/bin/sh"), ["-c", script], environment: ["WORD": "told"], descriptors: descriptors)
  }

  /// Returns the number of times that the end of `process` is reported to a monitor that is cancelled at the first
  /// report.
  private static func tells(_ process: pid_t) async throws -> Int {
    try await withCheckedThrowingContinuation { done in
      do {
        let queue = DispatchQueue(label: "watch")
        let source = try ProcessMonitor(process: process, queue: queue)
        let count = Count()
        source.setEventHandler {
          count.value += 1
          source.cancel()
        }
        source.setCancelHandler { done.resume(returning: count.value) }
        source.activate()
      } catch { done.resume(throwing: error) }
    }
  }

  /// A counter that only the queue of the source uses.
  private final class Count: @unchecked Sendable { var value = 0 }

  @Test(arguments: ["exit 7", "sleep 0.05; exit 7"])
  func `a process exit is reported once, whether monitoring begins before or after it`(_ script: String) async throws {
    let child = try Self.shell(script)
    #expect(try await Self.tells(child.identifier) == 1)
    #expect(child.wait() == 7)
  }

  @Test func `the end of a process that no longer exists is reported`() async throws {
    let child = try Self.shell("exit 0")
    child.waitUntilEnded()
    #expect(child.wait() == 0)
    #expect(child.wait() == nil)
    #expect(try await Self.tells(child.identifier) == 1)
  }

  @Test func `a process killed by a signal has no exit status`() throws {
    #expect(try Self.shell("kill -KILL $$").wait() == nil)
  }

  /// Creates a pipe that no child inherits.
  private static func pipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    #expect(systemPipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  @Test func `a child has the given descriptors under the given numbers`() throws {
    let (reader, writer) = try Self.pipe()
    defer { close(reader) }
    let child = try Self.shell("echo $WORD >&7", [7: writer])
    close(writer)
    #expect(child.wait() == 0)
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = read(reader, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "told\n")
  }

  @Test func `starting a program that does not exist throws an error`() {
    #expect(throws: SystemError(ENOENT, "start /nonexistent")) {
      try ChildProcess(ExecutableFile("/nonexistent"), [], environment: [:], descriptors: [:])
    }
  }

  @Test func `a descriptor that does not exist cannot be passed to a program`() {
    #expect(throws: SystemError(EBADF, "pass a descriptor to /bin/sh")) { try Self.shell("exit 0", [7: -1]) }
  }

  #if os(Linux)
    @Test func `processes that a child leaves behind are adopted and counted`() async {
      await #expect(processExitsWith: .success) {
        #expect(ChildProcess.leftOver() == 0)
        #expect(ChildProcess.adoptOrphans())
        let (reader, writer) = try ProcessMonitorTests.pipe()
        // The grandchild runs until its standard input ends.
        let child = try ProcessMonitorTests.shell("exec 8<&0; cat <&8 >/dev/null &", [0: reader])
        #expect(child.wait() == 0)
        #expect(ChildProcess.leftOver() == 1)
        close(writer)
        ChildProcess.waitForAny()
        #expect(ChildProcess.leftOver() == 0)
      }
    }
  #endif
}

// The function calls the system's function, which a method of the same name hides.
private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
