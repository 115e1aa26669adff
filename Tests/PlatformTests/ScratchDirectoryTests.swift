import Platform
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tests that only a trial's own files are removed.
@Suite struct ScratchDirectoryTests {
  /// A directory of another program, with a file that must not be removed.
  private final class Foreign {
    let path: String
    var isWhole: Bool { readFile("\(path)/mine") == "mine" }

    init(_ path: String) throws {
      self.path = path
      try #require(mkdir(path, 0o700) == 0)
      try OutputFile("\(path)/mine").write("mine")
    }

    deinit {
      unlink("\(path)/mine")
      rmdir(path)
    }
  }

  @Test func `another program's directory with a similar name is not removed`() throws {
    let foreign = try Foreign("\(ScratchDirectory.parent)/gcdlab-\(getpid())")
    let scratch = try ScratchDirectory()
    #expect(foreign.isWhole)
    scratch.remove()
    #expect(foreign.isWhole)
  }

  @Test func `a link that replaces the scratch directory is not followed`() throws {
    let scratch = try ScratchDirectory()
    let foreign = try Foreign("\(scratch.path)-foreign"), aside = "\(scratch.path)-aside"
    defer {
      unlink(scratch.path)
      rmdir(aside)
    }
    rename(scratch.path, aside)
    symlink(foreign.path, scratch.path)
    scratch.remove()
    #expect(foreign.isWhole)
  }

  @Test func `a directory that replaces the scratch directory is not removed`() throws {
    let scratch = try ScratchDirectory()
    let aside = "\(scratch.path)-aside"
    defer { rmdir(aside) }
    rename(scratch.path, aside)
    let foreign = try Foreign(scratch.path)
    scratch.remove()
    #expect(foreign.isWhole)
  }

  @Test func `a link in the scratch directory is removed, and its target is kept`() throws {
    let scratch = try ScratchDirectory()
    let foreign = try Foreign("\(scratch.path)-foreign")
    symlink(foreign.path, scratch.file("link"))
    symlink("\(foreign.path)/mine", scratch.file("other"))
    scratch.remove()
    #expect(foreign.isWhole)
    #expect(namesInDirectory(scratch.path) == nil)
  }

  @Test func `several scratch directories can exist, and each is removed with its contents`() throws {
    let first = try ScratchDirectory(), second = try ScratchDirectory()
    #expect(first.path != second.path)
    try OutputFile(first.file("a")).write("a")
    try #require(mkdir(second.file("folder"), 0o700) == 0)
    try OutputFile(second.file("folder/b")).write("b")
    second.remove()
    #expect(namesInDirectory(second.path) == nil)
    #expect(readFile(first.file("a")) == "a")
    first.remove()
    #expect(namesInDirectory(first.path) == nil)
  }

  @Test func `the directory of a worker that was killed during the removal is removed`() throws {
    let name = ScratchDirectory.beginTrial()
    // A worker renames its directory before it removes the files.
    let renamed = "\(ScratchDirectory.parent)/\(name)-over"
    try #require(mkdir(renamed, 0o700) == 0)
    let file = open("\(renamed)/file", O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    ScratchDirectory.endTrial(name)
    #expect(namesInDirectory(renamed) == nil)
  }

  @Test func `a thread that creates files during the removal leaves no file behind`() async {
    // The test runs in a process of its own, since a worker has one trial.
    await #expect(processExitsWith: .success) {
      let making = Atomic(0), ended = Atomic(false)
      let parent = try ScratchDirectory()
      setenv("TMPDIR", parent.path, 1)
      for round in 0..<200 {
        ScratchDirectory.use(trial: "trial-\(round)")
        let scratch = try ScratchDirectory()
        making.store(0, ordering: .relaxed)
        ended.store(false, ordering: .relaxed)
        let thread = try SystemThread {
          while !ended.load(ordering: .relaxed) {
            let file = open(
              scratch.file("\(making.wrappingAdd(1, ordering: .relaxed).newValue)"), O_CREAT | O_WRONLY, 0o600)
            if file >= 0 { close(file) }
          }
        }
        while making.load(ordering: .relaxed) < 20 { sched_yield() }
        ScratchDirectory.removeAll()
        ended.store(true, ordering: .relaxed)
        thread.join()
      }
      let left = namesInDirectory(parent.path)
      parent.remove()
      #expect(left == [])
    }
  }
}
