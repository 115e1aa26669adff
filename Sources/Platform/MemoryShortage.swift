/// A limit on the memory of a process (`ulimit -v`, `-d`) under which no further thread can be started.
///
/// The system applies such a limit to each process separately. Even if another process can start a thread, this process
/// may be unable to start a thread.
public struct MemoryShortage: Sendable, CustomStringConvertible {
  /// The option of `ulimit` that sets the limit.
  let option: String
  /// The limit, in bytes.
  let limit: Int
  /// The memory of the process that counts towards the limit, in bytes.
  let used: Int

  /// Creates a description of the shortage in a process; nil if there is room for a thread, if no limit is set, or if
  /// the system does not report the memory of the process (Darwin).
  ///
  /// - Parameter limits: the limits of the process, which its children inherit.
  public init?(of process: pid_t, limits: [(option: String, bytes: Int)] = Host.memoryLimits) {
    guard !limits.isEmpty, let status = readFile("/proc/\(process)/status") else { return nil }
    for (option, limit) in limits {
      let field = option == "-d" ? "VmData:" : "VmSize:"
      guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
        let used = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }).map({ $0 << 10 }),
        limit - used < Self.stack
      else { continue }
      self.option = option
      self.limit = limit
      self.used = used
      return
    }
    return nil
  }

  /// The size in bytes of a thread's stack, with the attributes that Dispatch uses for its threads; 0 if the system
  /// does not report the size.
  private static var stack: Int {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return 0 }
    defer { pthread_attr_destroy(&attributes) }
    var size = 0
    return pthread_attr_getstacksize(&attributes, &size) == 0 ? Int(size) : 0
  }

  /// The shortage as a clause of an error message.
  public var description: String {
    "there is no room for the stack of another thread: \(used >> 10) of \(limit >> 10) KiB are in use (ulimit \(option))"
  }
}
