import Platform
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct FilesTests {
  @Test func `writing a file creates it, or replaces its contents`() throws {
    let path = "\(ScratchDirectory.parent)/gcdlab-test-whole-\(getpid())"
    defer { unlink(path) }
    try OutputFile(path).write("first")
    #expect(readFile(path) == "first")
    // The file exists already, and the path is relative to the working directory.
    try OutputFile(path).write("second")
    #expect(readFile(path) == "second")
  }

  @Test(arguments: [
    ("/no/such/folder/x.json", ENOENT), ("/tmp", EISDIR), ("/proc/x.json", ENOENT),
  ])
  func `a path that cannot be written throws an error before anything is written`(_ path: String, _ code: Int32) {
    #expect(throws: SystemError(code, "write \(path)")) { try OutputFile(path) }
  }

  @Test func `a device is written to directly, and its errors are thrown`() throws {
    try OutputFile("/dev/null").write("gone")
    #expect(throws: SystemError(ENOSPC, "write /dev/full")) { try OutputFile("/dev/full").write("too much") }
  }

  /// A new directory. It is removed at the end with the files of these tests.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("\(ScratchDirectory.parent)/gcdlab-test-XXXXXX".utf8CString)
      path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit {
      for name in ["file", "link", "link2", "pipe", "socket"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  @Test(arguments: [mode_t(0o600), 0o640, 0o755])
  func `a file keeps its mode when it is overwritten`(_ kept: mode_t) throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    try OutputFile(path).write("first")
    chmod(path, kept)
    try OutputFile(path).write("second")
    #expect(readFile(path) == "second")
    #expect(mode(path) == kept)
  }

  @Test func `writing to a symbolic link changes its target, and keeps the link`() throws {
    let folder = try Folder()
    try OutputFile("\(folder.path)/file").write("first")
    // The first link is relative to its own directory, and the second link leads to a link.
    symlink("file", "\(folder.path)/link")
    symlink("\(folder.path)/link", "\(folder.path)/link2")
    try OutputFile("\(folder.path)/link2").write("second")
    #expect(readFile("\(folder.path)/file") == "second")
    #expect(isLink("\(folder.path)/link") && isLink("\(folder.path)/link2"))
  }

  @Test func `writing through a link to a missing file creates the file, as a shell does`() throws {
    let folder = try Folder()
    symlink("file", "\(folder.path)/link")
    try OutputFile("\(folder.path)/link").write("first")
    #expect(readFile("\(folder.path)/file") == "first")
    #expect(isLink("\(folder.path)/link"))
    let path = "\(folder.path)/link2"
    symlink("no/such", path)
    #expect(throws: SystemError(ENOENT, "write \(path)")) { try OutputFile(path) }
    unlink(path)
    symlink("link2", path)
    #expect(throws: SystemError(ELOOP, "write \(path)")) { try OutputFile(path) }
  }

  @Test func `a pipe without a reader throws an error before anything is written`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: SystemError(ENXIO, "write \(path), which nobody reads")) { try OutputFile(path) }
  }

  @Test func `a pipe stays open from the creation of the output file to the last byte`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    var bytes = [UInt8](repeating: 0, count: 10)
    do {
      let file = try OutputFile(path)
      // The pipe has a writer that has written nothing yet, so it has not ended.
      #expect(read(reader, &bytes, 10) == -1 && errno == EAGAIN)
      try file.write("whole")
      #expect(read(reader, &bytes, 10) == 5)
    }
    #expect(read(reader, &bytes, 10) == 0)
  }

  @Test func `an error in reading a file contains the path and the reason`() {
    #expect(throws: SystemError(ENOENT, "read /no/such")) { try readBytes("/no/such", atMost: 9) }
    #expect(throws: SystemError(EISDIR, "read /tmp")) { try readBytes("/tmp", atMost: 9) }
    #expect(readFile("/no/such") == nil)
  }

  @Test func `reading stops one byte after the limit`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/file"
    try OutputFile(path).write(String(repeating: "x", count: 100_000))
    for limit in [0, 1, 65_535, 65_536, 99_999] { #expect(try readBytes(path, atMost: limit).count == limit + 1) }
    for limit in [100_000, 100_001] { #expect(try readBytes(path, atMost: limit).count == 100_000) }
  }

  #if os(Linux)
    /// Another thread may start a program at any time, so the test examines the ends while pipes are created. In this
    /// process, all pipes have the same two descriptors.
    @Test func `a program that another thread starts never inherits an end of a pipe`() async {
      await #expect(processExitsWith: .success) {
        let (reader, writer) = try makePipe()
        for end in [reader, writer] { close(end) }
        let areCreated = Atomic(false)
        let thread = try SystemThread {
          for _ in 0..<20_000 {
            guard let (reader, writer) = try? makePipe() else { continue }
            for end in [reader, writer] { close(end) }
          }
          areCreated.store(true, ordering: .relaxed)
        }
        var inheritable = 0
        while !areCreated.load(ordering: .relaxed) {
          for end in [reader, writer] where fcntl(end, F_GETFD) == 0 { inheritable += 1 }
        }
        thread.join()
        #expect(inheritable == 0)
      }
    }
  #endif

  @Test func `the host reports its cores, descriptor limit, kernel, executable and processor times`() throws {
    #expect(Host.cores >= 1)
    #expect(Host.descriptorLimit > 0)
    #expect(!Host.kernel.name.isEmpty && !Host.kernel.release.isEmpty)
    #expect(Host.executablePath.hasPrefix("/"))
    let times = try #require(Host.processorTimes(of: Host.coreNumbers))
    #expect(times.busy + times.stolen <= times.total)
  }
}
