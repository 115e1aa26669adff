#if os(Linux)
  import CDispatchSupport
  import Glibc
  import Synchronization

  extension ThreadCensus {
    /// The number of the calling thread.
    public static var currentThread: Int { Int(gcdlab_thread_id()) }

    /// The threads of this process now; nil where `/proc` does not tell what a thread waits for.
    public static func taken() -> ThreadCensus? {
      guard readFile("/proc/thread-self/syscall") != nil, let tasks = namesInDirectory("/proc/self/task") else {
        return nil
      }
      var threads: [Thread] = []
      var calls: [String] = []
      for name in tasks {
        // A thread may end while it is being looked at.
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

    /// Whether Dispatch gives its threads names, as far as this process has seen; `isSeen` says whether it has just
    /// seen one.
    static func areNamesGiven(_ isSeen: Bool) -> Bool {
      if isSeen { hasSeenName.store(true, ordering: .relaxed) }
      return isSeen || hasSeenName.load(ordering: .relaxed)
    }

    private static let hasSeenName = Atomic(false)

    /// Whether a thread in the system call `call` is of the pool, whatever its name: nobody else has started it. `own`
    /// are the numbers of those that are ours.
    static func isOfPool(_ id: Int, _ call: String, _ own: Set<Int>) -> Bool {
      guard id != Int(getpid()), !own.contains(id) else { return false }
      return !gcdlab_is_event_wait(call.split(separator: " ").first.flatMap { Int64($0) } ?? -1)
    }
  }

  extension ThreadCensus.Sleep {
    /// Reads a line of `/proc/PID/task/TID/syscall`: the number of the call and its arguments in hexadecimal, or
    /// `running`, which gives nil.
    ///
    /// All waits on memory are the futex call. An idle pool thread is in glibc's `sem_timedwait`: FUTEX_WAIT_BITSET
    /// with a timeout. `dispatch_group_wait` uses FUTEX_WAIT, with or without one; `dispatch_semaphore_wait` without a
    /// timeout is FUTEX_WAIT_BITSET without one. (A semaphore wait *with* a timeout looks like an idle thread.)
    init?(systemCall line: String, futex: Int = Int(gcdlab_futex_call())) {
      let words = line.split { $0 == " " || $0 == "\n" }
      guard let first = words.first, let number = Int(first) else { return nil }
      guard number == futex, words.count > 4 else {
        self = .other
        return
      }
      func argument(_ index: Int) -> UInt64 { UInt64(words[index + 1].dropFirst(2), radix: 16) ?? 0 }
      // The low seven bits are the operation; the others say private, and which clock.
      let operation = argument(1) & 0x7f
      let timeout = argument(3)
      self = operation == 9 && timeout != 0 ? .idle : .wait
    }
  }
#endif
