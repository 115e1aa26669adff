#if os(Linux)
  import Glibc

  extension ThreadCensus {
    /// How many threads this process has now; nil where `/proc` does not tell. Costs less than a microsecond and no
    /// descriptor, so that it can be asked often.
    public static func count() -> Int? { countsLinks ? linked() : namesInDirectory("/proc/self/task")?.count }

    /// A directory has two links and one for each directory in it, here one a thread.
    private static func linked() -> Int? {
      var status = stat()
      return stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : nil
    }

    /// Whether the links are as many as the threads. No document promises it, so it is tried once.
    private static let countsLinks: Bool = {
      // A thread may come or go while its neighbours are listed: then once more.
      for _ in 0..<100 {
        guard let before = linked(), let names = namesInDirectory("/proc/self/task") else { return false }
        if before == linked() { return before == names.count }
      }
      return false
    }()
  }

  extension ThreadCensus {
    /// How many threads of the dispatch pool there are now; nil where `/proc` does not tell, or no descriptor is left
    /// to look with. Takes some 3 us a thread.
    public static func poolCount() -> Int? {
      guard let tasks = namesInDirectory("/proc/self/task") else { return nil }
      let named = tasks.count { isPoolThread(readName("/proc/self/task/\($0)/comm")) }
      if areNamesGiven(named > 0) { return named }
      let own = OwnThreads.numbers
      return tasks.count { name in
        guard let id = Int(name), let call = readFile("/proc/self/task/\(name)/syscall") else { return false }
        return isOfPool(id, call, own)
      }
    }

    /// ``readFile(_:)`` for the 16 bytes of a name: asked of hundreds of threads, its buffer would be what takes time.
    private static func readName(_ path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }  // The thread has ended.
      defer { close(descriptor) }
      return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { name in
        let count = read(descriptor, name.baseAddress, name.count)
        return count > 0 ? String(decoding: name[..<count], as: UTF8.self) : nil
      }
    }
  }
#endif
