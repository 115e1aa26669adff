#if os(Linux)
  import CDispatchSupport
  import Glibc
  import Synchronization

  extension ThreadCensus {
    /// The number of the calling thread.
    public static var currentThread: Int { Int(gcdlab_thread_id()) }

    /// Returns the threads of this process; nil if `/proc` does not report what a thread waits for.
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

    /// Returns whether Dispatch names its threads: whether this process has seen such a name now (`isSeen`) or earlier.
    static func areNamesGiven(_ isSeen: Bool) -> Bool {
      if isSeen { hasSeenName.store(true, ordering: .relaxed) }
      return isSeen || hasSeenName.load(ordering: .relaxed)
    }

    private static let hasSeenName = Atomic(false)

    /// Returns whether a thread in the system call `call` is a pool thread, independently of its name. A thread is one
    /// if it is neither the main thread, nor one of the lab's own threads, nor the thread that waits for Dispatch's
    /// events. `own` contains the numbers of the lab's own threads.
    static func isOfPool(_ id: Int, _ call: String, _ own: Set<Int>) -> Bool {
      guard id != Int(getpid()), !own.contains(id) else { return false }
      return !gcdlab_is_event_wait(call.split(separator: " ").first.flatMap { Int64($0) } ?? -1)
    }
  }

  extension ThreadCensus.Sleep {
    /// Parses a line of `/proc/PID/task/TID/syscall`: the number of the call and its arguments in hexadecimal, or
    /// `running`, which gives nil.
    ///
    /// All waits on memory are futex calls. An idle pool thread is in `sem_timedwait` of glibc: FUTEX_WAIT_BITSET with
    /// a timeout. `dispatch_group_wait` uses FUTEX_WAIT, with or without a timeout. `dispatch_semaphore_wait` without a
    /// timeout is FUTEX_WAIT_BITSET without one. (A semaphore wait *with* a timeout looks like an idle thread.)
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
#endif
