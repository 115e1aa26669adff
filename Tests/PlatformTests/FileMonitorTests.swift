import Dispatch
import Platform
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Changes to real files, each awaited as an event.
@Suite struct FileMonitorTests {
  private final class Events<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ value: Value) {
      values.withLock { $0.append(value) }
      arrived.signal()
    }

    func next() throws -> Value {
      try #require(arrived.wait(timeout: .now() + 60) == .success, "no event came")
      return values.withLock { $0.removeFirst() }
    }
  }

  private final class Folder: Sendable {
    let path: String

    init() throws {
      var template = Array("/tmp/gcdlab-test-XXXXXX".utf8CString)
      path = String(cString: try #require(mkdtemp(&template)))
    }

    func file(_ name: String, _ text: String? = nil) throws -> String {
      if let text { try OutputFile("\(path)/\(name)").write(text) }
      return "\(path)/\(name)"
    }

    deinit {
      for name in ["a", "b", "c"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  private func append(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    try writeAll(text, to: descriptor)
  }

  @Test func `a monitor follows a file through every kind of change`() throws {
    let folder = try Folder()
    let (path, other, third) = (try folder.file("a", "one"), try folder.file("b"), try folder.file("c"))
    let events = Events<FileChange>()
    let monitor = try FileMonitor(path: path) { change, _ in events.add(change) }
    defer { monitor.cancel() }
    try append("two", to: path)
    #expect(try events.next() == .extend)
    let descriptor = open(path, O_WRONLY)
    #expect(pwrite(descriptor, "O", 1, 0) == 1)
    close(descriptor)
    #expect(try events.next() == .write)
    chmod(path, 0o600)
    #expect(try events.next() == .attrib)
    link(path, third)
    #expect(try events.next() == .link)
    rename(path, other)
    #expect(try events.next() == .rename)
    // Under its new name it is still watched.
    try append("!", to: other)
    #expect(try events.next() == .extend)
    unlink(third)
    #expect(try events.next() == .link)
    unlink(other)
    #expect(try events.next() == .delete)
  }

  @Test func `a watcher follows a name through an editor's save`() throws {
    let folder = try Folder()
    let path = try folder.file("a", "one")
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [path]) { events.add($0) }
    defer { watcher.cancel() }
    _ = try folder.file("a", "another")  // OutputFile writes a draft and renames it over the old file.
    let replaced = try events.next()
    #expect(replaced.kind == .replaced && replaced.path == path && replaced.previousSize == 3 && replaced.size == 7)
    try append("!", to: path)
    let grown = try events.next()
    #expect(grown.kind == .extend && grown.size == 8)
    unlink(path)
    #expect(try events.next().kind == .deleted)
    _ = try folder.file("a", "again")
    #expect(try events.next().kind == .created)
  }

  @Test func `a watched directory tells of its entries`() throws {
    let folder = try Folder()
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [folder.path]) { events.add($0) }
    defer { watcher.cancel() }
    let descriptor = open(try folder.file("b"), O_CREAT | O_WRONLY, 0o600)
    #expect(try events.next().kind == .created)
    try writeAll("x", to: descriptor)
    close(descriptor)
    #expect(try events.next().kind == .extend)
    unlink(try folder.file("b"))
    let deleted = try events.next()
    #expect(deleted.kind == .deleted && deleted.path == folder.path + "/b" && deleted.size == nil)
  }

  @Test func `what is not there cannot be watched`() {
    #expect(throws: SystemError(ENOENT, "watch /no/such")) { try FileMonitor(path: "/no/such") { _, _ in } }
    #expect(throws: SystemError(ENOENT, "watch /no/such")) { try PathWatcher(paths: ["/no/such"]) { _ in } }
  }

  /// In a process of its own: other tests open and close descriptors meanwhile.
  @Test func `a cancelled monitor closes its descriptors`() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/gcdlab-test-\(getpid())"
      try OutputFile(path).write("x")
      defer { unlink(path) }
      DispatchQueue.global().sync {}
      // The first source makes Dispatch open descriptors of its own.
      try FileMonitor(path: path) { _, _ in }.cancel()
      let free = DescriptorLimit.free(below: 1000)
      for _ in 0..<20 { try FileMonitor(path: path) { _, _ in }.cancel() }
      // The cancel handlers run later: wait for the event, however long it takes.
      while DescriptorLimit.free(below: 1000) < free { sched_yield() }
    }
  }
}
