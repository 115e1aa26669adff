#if canImport(Darwin)
  import Darwin

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.
  extension Host {
    /// The path of the running binary; the first command-line argument if the system does not report the path.
    public static var executablePath: String {
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var buffer = [CChar](repeating: 0, count: Int(size))
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return CommandLine.arguments[0] }
      return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? CommandLine.arguments[0] }
    }

    /// The running binary, identified by its path. Darwin has no other reference to the binary, so the lab must detect
    /// whether another file has replaced the binary.
    public static var executable: ExecutableFile {
      ExecutableFile(ownAt: executablePath, name: executablePath, isSure: false)
    }

    /// The processor's name; nil if the system does not report the name.
    public static var processorName: String? {
      var size = 0
      guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 1 else { return nil }
      var name = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
      return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The physical memory in bytes; nil if the system does not report it.
    public static var memory: Int? {
      var bytes: UInt64 = 0
      var size = MemoryLayout<UInt64>.size
      return sysctlbyname("hw.memsize", &bytes, &size, nil, 0) == 0 ? Int(bytes) : nil
    }

    /// The resident memory of this process in bytes; nil if the system does not report it.
    public static var residentMemory: Int? {
      var info = mach_task_basic_info()
      var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
      let status = withUnsafeMutablePointer(to: &info) { info in
        info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
        }
      }
      return status == KERN_SUCCESS ? Int(info.resident_size) : nil
    }

    /// Always returns nil, since Darwin does not report stolen time. On Darwin, the lab therefore does not warn about
    /// the processor time that other programs or virtual machines took.
    public static func processorTimes(of cores: [Int]) -> ProcessorTimes? { nil }

    /// The kinds of dispatch source that exist on this system.
    public static let dispatchSources = [
      "timer", "signal", "read", "write", "data add", "data or", "data replace", "vnode", "process", "mach send",
      "mach receive", "memory pressure",
    ]

    /// The number of clock ticks per second. A clock tick is the unit of ``ProcessorTimes``.
    public static var ticksPerSecond: Double { Double(sysconf(_SC_CLK_TCK)) }
  }
#endif
