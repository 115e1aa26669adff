#if os(Linux)
  import Glibc

  extension Host {
    /// The absolute path of the running binary. If `/proc` does not report the path, the value is the first
    /// command-line argument, or an empty string if there are no arguments.
    public static var executablePath: String {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/self/exe", &buffer, buffer.count)
      // Without /proc, the arguments can be missing too.
      guard length > 0 else { return CommandLine.arguments.first ?? "" }
      return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The running binary, as it was when the process started. The kernel retains the file of the binary even if
    /// another file takes the path of the binary.
    public static var executable: ExecutableFile {
      ExecutableFile(ownAt: "/proc/self/exe", name: executablePath, isSure: true)
    }

    /// The processor's name; nil if `/proc/cpuinfo` does not contain the name.
    public static var processorName: String? {
      firstLine(of: "/proc/cpuinfo", startingWith: "model name")?.split(separator: ":").last.map { name in
        String(name.drop { $0 == " " })
      }
    }

    /// The physical memory in bytes; nil if the system does not report it.
    public static var memory: Int? {
      let pages = sysconf(Int32(_SC_PHYS_PAGES))
      let size = sysconf(Int32(_SC_PAGESIZE))
      return pages > 0 && size > 0 ? pages * size : nil
    }

    /// The resident memory of this process in bytes; nil if `/proc/self/smaps_rollup` cannot be read. The kernel walks
    /// the page tables to compute this figure. Cheaper counters, such as the counters in `/proc/self/statm`, are less
    /// exact: their error can exceed the memory that a thousand dispatch queues use.
    public static var residentMemory: Int? {
      firstLine(of: "/proc/self/smaps_rollup", startingWith: "Rss:")?
        .split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// Returns the times that `cores` have spent in each state since the machine started, added up over the cores; nil
    /// if `/proc/stat` cannot be read or lacks one of the cores.
    public static func processorTimes(of cores: [Int]) -> ProcessorTimes? {
      guard let text = readFile("/proc/stat") else { return nil }
      let names = Set(cores.map { "cpu\($0)" })
      let lines = text.split(separator: "\n").compactMap { line -> [UInt64]? in
        let columns = line.split(separator: " ")
        guard let name = columns.first, names.contains(String(name)) else { return nil }
        return columns.dropFirst().compactMap { UInt64($0) }
      }
      guard !lines.isEmpty, lines.count == names.count, lines.allSatisfy({ $0.count >= 8 }) else { return nil }
      // The columns are user, nice, system, idle, iowait, irq, softirq and steal. Guest time is already part of user.
      func ticks(_ columns: [Int]) -> UInt64 { lines.reduce(0) { sum, line in columns.reduce(sum) { $0 + line[$1] } } }
      return ProcessorTimes(busy: ticks([0, 1, 2, 5, 6]), stolen: ticks([7]), total: ticks(Array(0..<8)))
    }

    /// The kinds of dispatch source that exist on this system.
    public static let dispatchSources = ["timer", "signal", "read", "write", "data add", "data or", "data replace"]

    /// The number of clock ticks per second. A clock tick is the unit of ``ProcessorTimes``.
    public static var ticksPerSecond: Double { Double(sysconf(Int32(_SC_CLK_TCK))) }

    private static func firstLine(of path: String, startingWith prefix: String) -> String? {
      guard let text = readFile(path) else { return nil }
      return text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map(String.init)
    }
  }
#endif
