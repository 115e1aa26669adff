#if os(Linux)
  import CDispatchSupport
  import Glibc
  import Synchronization

  extension ThreadCensus {
    /// The system's number of the calling thread.
    public static var currentThread: Int { Int(gcdlab_thread_id()) }

    /// Returns a census of this process's threads; nil if `/proc` does not report the system calls of threads.
    public static func taken() -> ThreadCensus? {
      guard readFile("/proc/thread-self/syscall") != nil, let tasks = namesInDirectory("/proc/self/task") else {
        return nil
      }
      var threads: [Thread] = []
      var calls: [String] = []
      for name in tasks {
        // The thread may end while it is examined.
        guard let id = Int(name), let comm = readFile("/proc/self/task/\(name)/comm"),
          let call = readFile("/proc/self/task/\(name)/syscall")
        else { continue }
        calls.append(call)
        threads.append(Thread(id: id, name: String(comm.prefix { $0 != "\n" }), sleep: Sleep(systemCall: call)))
      }
      if !areNamesGiven(threads.contains(where: \.isPoolThread)) {
        let own = OwnThreads.numbers
        for index in threads.indices where isOfPool(threads[index].id, calls[index], own) {
          threads[index].isPoolThread = true
        }
      }
      return ThreadCensus(threads: threads)
    }

    /// Returns whether Dispatch names its threads: whether `isSeen` is true now or was true in an earlier call.
    static func areNamesGiven(_ isSeen: Bool) -> Bool {
      if isSeen { hasSeenName.store(true, ordering: .relaxed) }
      return isSeen || hasSeenName.load(ordering: .relaxed)
    }

    private static let hasSeenName = Atomic(false)

    /// Returns whether the thread `id`, which is in the system call `call`, is a pool thread. The name of the thread
    /// does not matter. A pool thread is not the main thread, not one of the lab's own threads (`own`), and not
    /// Dispatch's event thread.
    static func isOfPool(_ id: Int, _ call: String, _ own: Set<Int>) -> Bool {
      guard id != Int(getpid()), !own.contains(id) else { return false }
      return !gcdlab_is_event_wait(call.split(separator: " ").first.flatMap { Int64($0) } ?? -1)
    }
  }

  extension ThreadCensus.Sleep {
    /// Parses a line of `/proc/PID/task/TID/syscall`: the number of the call and its arguments in hexadecimal; nil for
    /// `running`.
    ///
    /// All waits on memory are futex calls. An idle pool thread is in `sem_timedwait` of glibc: FUTEX_WAIT_BITSET with
    /// a timeout. `dispatch_group_wait` uses FUTEX_WAIT, with or without a timeout. `dispatch_semaphore_wait` without a
    /// timeout is FUTEX_WAIT_BITSET without a timeout. A semaphore wait *with* a timeout cannot be distinguished from
    /// the wait of an idle thread.
    init?(systemCall line: String, futex: Int = Int(gcdlab_futex_call())) {
      let words = line.split { $0 == " " || $0 == "\n" }
      guard let first = words.first, let number = Int(first) else { return nil }
      guard number == futex, words.count > 4 else {
        self = .other
        return
      }
      func argument(_ index: Int) -> UInt64 { UInt64(words[index + 1].dropFirst(2), radix: 16) ?? 0 }
      // The low seven bits are the operation. The other bits define the clock and whether the futex is private.
      let operation = argument(1) & 0x7f
      let timeout = argument(3)
      self = operation == 9 && timeout != 0 ? .idle : .wait
    }
  }

  // MARK: Counts

  extension ThreadCensus {
    /// Returns the current number of threads of this process; nil if `/proc` does not report the number. After the
    /// first call, and if the link count of `/proc/self/task` gives the number, the call takes less than a microsecond
    /// and needs no descriptor. Otherwise the call lists the directory.
    public static func count() -> Int? { countsLinks ? linked() : namesInDirectory("/proc/self/task")?.count }

    /// Returns the number of threads, computed from the link count of the threads' directory in `/proc`; nil if the
    /// link count is not available. The link count of a directory is 2 plus the number of its subdirectories.
    private static func linked() -> Int? {
      var status = stat()
      return stat("/proc/self/task", &status) == 0 ? Int(status.st_nlink) - 2 : nil
    }

    /// Whether the link count corresponds to the number of threads. No document guarantees this correspondence, so the
    /// property tests it once.
    private static let countsLinks: Bool = {
      // A thread may start or end while the threads are listed. The check is then repeated.
      for _ in 0..<100 {
        guard let before = linked(), let names = namesInDirectory("/proc/self/task") else { return false }
        if before == linked() { return before == names.count }
      }
      return false
    }()
  }

  extension ThreadCensus {
    /// Returns the current number of threads in the dispatch pool; nil if `/proc` does not report the threads, or if no
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

    /// Returns the thread name in a file of at most 16 bytes; nil if the file cannot be read, for instance because the
    /// thread has ended. The larger buffer of ``readFile(_:)`` would take most of the time for hundreds of threads.
    private static func readName(_ path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { name in
        let count = read(descriptor, name.baseAddress, name.count)
        return count > 0 ? String(decoding: name[..<count], as: UTF8.self) : nil
      }
    }
  }
#endif
