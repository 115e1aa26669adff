#if os(Linux)
  import Glibc

  extension ThreadCensus {
    /// Returns how many threads this process has now; nil if `/proc` does not report it. The call takes less than a
    /// microsecond and needs no descriptor, so it can be made often.
    public static func count() -> Int? { countsLinks ? linked() : namesInDirectory("/proc/self/task")?.count }

    /// Returns the number of threads according to the links of their directory in `/proc`. A directory has two links,
    /// plus one for each directory in it, which is one for each thread here.
    private static func linked() -> Int? {
      var status = stat()
      return stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : nil
    }

    /// Whether the number of links reveals the number of threads. No document guarantees this, so it is tested once.
    private static let countsLinks: Bool = {
      // A thread may start or end while the others are listed; the check is then repeated.
      for _ in 0..<100 {
        guard let before = linked(), let names = namesInDirectory("/proc/self/task") else { return false }
        if before == linked() { return before == names.count }
      }
      return false
    }()
  }

  extension ThreadCensus {
    /// Returns how many threads of the dispatch pool there are now; nil if `/proc` does not report it, or if no
    /// descriptor is left. The call takes about 3 us for each thread.
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

    /// Reads the 16 bytes of a name. The buffer of ``readFile(_:)`` would take most of the time when hundreds of
    /// threads are read.
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
