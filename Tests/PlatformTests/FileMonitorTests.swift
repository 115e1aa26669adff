import Dispatch
import Platform
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests of changes to real files, each of which is awaited as an event.
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
      var template = Array("\(ScratchDirectory.parent)/gcdlab-test-XXXXXX".utf8CString)
      path = String(cString: try #require(mkdtemp(&template)))
    }

    func file(_ name: String, _ text: String? = nil) throws -> String {
      if let text { try OutputFile("\(path)/\(name)").write(text) }
      return "\(path)/\(name)"
    }

    deinit {
      for name in namesInDirectory(path) ?? [] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  private func append(_ text: String, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    try writeAll(text, to: descriptor)
  }

  @Test func `a monitor reports every kind of change to a file`() throws {
    let folder = try Folder()
    let (path, other, third) = (try folder.file("a", "one"), try folder.file("b"), try folder.file("c"))
    let events = Events<FileChange>()
    let watched = try openForEvents(path)
    let monitor = try FileMonitor(fileDescriptor: watched, queue: .global())
    monitor.setEventHandler { change, _ in events.add(change) }
    monitor.setCancelHandler { close(watched) }
    monitor.activate()
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
    #expect(currentPath(of: watched)?.hasSuffix(other) == true)
    // The file is still watched under its new name.
    try append("!", to: other)
    #expect(try events.next() == .extend)
    unlink(third)
    #expect(try events.next() == .link)
    unlink(other)
    #expect(try events.next() == .delete)
  }

  /// Changes that are read together are distinguished by the file's final status.
  @Test func `a write does not hide a link that is created after it`() throws {
    let folder = try Folder()
    let (path, other) = (try folder.file("a", "one"), try folder.file("b"))
    let events = Events<FileChange>()
    let watched = try openForEvents(path)
    let monitor = try FileMonitor(fileDescriptor: watched, queue: .global())
    monitor.setEventHandler { change, _ in events.add(change) }
    monitor.setCancelHandler { close(watched) }
    // The monitor is not active yet, so both changes have occurred when the handler first runs.
    try append("two", to: path)
    link(path, other)
    monitor.activate()
    defer { monitor.cancel() }
    #expect(try events.next() == .extend)
    #expect(try events.next() == .link)
  }

  @Test func `a watcher follows a path when an editor replaces its file`() throws {
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

  @Test func `a watcher of a directory reports changes of its entries`() throws {
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

  @Test func `a directory that is removed and created again is watched again`() throws {
    let folder = try Folder()
    let outer = "\(folder.path)/outer", inner = "\(folder.path)/outer/inner"
    defer { for path in [inner, outer] { rmdir(path) } }
    try #require(mkdir(outer, 0o700) == 0 && mkdir(inner, 0o700) == 0)
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [inner]) { events.add($0) }
    defer { watcher.cancel() }
    func expect(_ kind: PathEvent.Kind, _ path: String) throws {
      let event = try events.next()
      #expect(event.kind == kind && event.path == path, "\(event)")
    }
    // The inner directory is removed together with the outer directory.
    try #require(rmdir(inner) == 0 && rmdir(outer) == 0)
    try expect(.deleted, inner)
    try #require(mkdir(outer, 0o700) == 0 && mkdir(inner, 0o700) == 0)
    try expect(.created, inner)
    try OutputFile("\(inner)/a").write("")
    try expect(.created, "\(inner)/a")
    unlink("\(inner)/a")
    try expect(.deleted, "\(inner)/a")
    // A new directory replaces the old directory, and may contain a file before the watcher examines it. Changes in the
    // old directory, which was moved away, are not reported.
    let aside = "\(folder.path)/aside"
    defer { rmdir(aside) }
    rename(inner, aside)
    try expect(.deleted, inner)
    try OutputFile("\(aside)/b").write("")
    unlink("\(aside)/b")
    rename(aside, inner)
    try expect(.created, inner)
    close(open("\(inner)/b", O_CREAT | O_WRONLY, 0o600))
    try expect(.created, "\(inner)/b")
    unlink("\(inner)/b")
    try expect(.deleted, "\(inner)/b")
  }

  @Test func `a file is watched again after its directory is removed and created again`() throws {
    let folder = try Folder()
    let inner = "\(folder.path)/inner", path = "\(folder.path)/inner/a"
    defer { rmdir(inner) }
    try #require(mkdir(inner, 0o700) == 0)
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [path]) { events.add($0) }
    defer { watcher.cancel() }
    for _ in 1...2 {
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(try events.next().kind == .created)
      try append("x", to: path)
      #expect(try events.next().kind == .extend)
      unlink(path)
      #expect(try events.next().kind == .deleted)
      try #require(rmdir(inner) == 0 && mkdir(inner, 0o700) == 0)
    }
  }

  @Test func `a watcher waits for a file that does not exist yet`() throws {
    let folder = try Folder()
    let path = try folder.file("a")
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [path, folder.path]) { events.add($0) }
    defer { watcher.cancel() }
    #expect(watcher.awaited == [path])
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    let created = try events.next()
    #expect(created.kind == .created && created.path == path && created.previousSize == nil && created.size == 0)
    try writeAll("one", to: descriptor)
    close(descriptor)
    // The file is watched itself and as an entry of its directory. It is still one path, which is reported once.
    let grown = try events.next()
    #expect(grown.kind == .extend && grown.previousSize == 0 && grown.size == 3)
    unlink(path)
    #expect(try events.next().kind == .deleted)
  }

  @Test func `a watcher of a file reports a hard link in another directory, and its removal`() throws {
    let (folder, elsewhere) = (try Folder(), try Folder())
    let (path, other) = (try folder.file("a", "one"), try elsewhere.file("b"))
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [path]) { events.add($0) }
    defer { watcher.cancel() }
    link(path, other)
    let linked = try events.next()
    #expect(linked.kind == .link && linked.path == path)
    // A change of the mode does not change the number of names.
    chmod(path, 0o600)
    #expect(try events.next().kind == .attrib)
    unlink(other)
    #expect(try events.next().kind == .link)
    // The file that replaces the old file at the name is watched instead, even through another name.
    _ = try folder.file("a", "new")
    #expect(try events.next().kind == .replaced)
    link(path, other)
    #expect(try events.next().kind == .link)
  }

  @Test func `a watcher of a directory reports a new hard link to an entry, and its removal`() throws {
    let folder = try Folder()
    let (path, other) = (try folder.file("a", "one"), try folder.file("b"))
    let events = Events<PathEvent>()
    let watcher = try PathWatcher(paths: [folder.path]) { events.add($0) }
    defer { watcher.cancel() }
    link(path, other)
    let created = try events.next()
    #expect(created.kind == .created && created.path == other)
    let linked = try events.next()
    #expect(linked.kind == .link && linked.path == path)
    unlink(other)
    #expect(try events.next().kind == .deleted)
    let unlinked = try events.next()
    #expect(unlinked.kind == .link && unlinked.path == path)
  }

  @Test func `watching a path without an existing directory throws an error`() {
    #expect(throws: SystemError(ENOENT, "watch /no/such")) { try openForEvents("/no/such") }
    // The watcher can wait for a missing file, but not for a missing directory.
    #expect(throws: SystemError(ENOENT, "watch /no/such")) { try PathWatcher(paths: ["/no/such"]) { _ in } }
    #expect(throws: SystemError(ENOENT, "watch /nosuch/")) { try PathWatcher(paths: ["/nosuch/"]) { _ in } }
    #expect(throws: SystemError(ENOTDIR, "watch /dev/null/x")) { try PathWatcher(paths: ["/dev/null/x"]) { _ in } }
  }

  @Test func `an open descriptor has the path of its file, and a closed descriptor has no path`() throws {
    let folder = try Folder()
    let descriptor = try openForEvents(try folder.file("a", "one"))
    #expect(currentPath(of: descriptor)?.hasSuffix("/a") == true)
    #expect(OpenDescriptors.paths().contains { $0.hasSuffix(folder.path + "/a") })
    close(descriptor)
    #expect(!OpenDescriptors.paths().contains { $0.hasSuffix(folder.path + "/a") })
    #expect(currentPath(of: -1) == nil)
  }

  /// The test runs in a process of its own, since other tests open and close descriptors.
  @Test func `a cancelled monitor closes its descriptors before the cancel handler`() async {
    await #expect(processExitsWith: .success) {
      let path = "\(ScratchDirectory.parent)/gcdlab-test-\(getpid())"
      try OutputFile(path).write("x")
      defer { unlink(path) }
      DispatchQueue.global().sync {}
      func watchAndCancel() throws {
        let watched = try openForEvents(path)
        let hasEnded = DispatchSemaphore(value: 0)
        let monitor = try FileMonitor(fileDescriptor: watched, queue: .global())
        monitor.setEventHandler { _, _ in }
        monitor.setCancelHandler {
          close(watched)
          hasEnded.signal()
        }
        monitor.activate()
        monitor.cancel()
        hasEnded.wait()
      }
      func ours() -> Int { OpenDescriptors.paths().count { $0.hasSuffix(path) || $0 == "anon_inode:inotify" } }
      let before = ours()
      for _ in 0..<20 { try watchAndCancel() }
      #expect(ours() == before)
    }
  }
}
