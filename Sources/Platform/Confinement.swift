import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps a process to some cores of the machine, and says in which order cores are taken.
public enum Confinement {
  /// Whether this system has a call for it.
  public static var isPossible: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// The cores that this process may use, in the order in which they are taken: one of each physical core first, then
  /// their siblings, which share its units and are no full core beside it.
  public static var coresInTurn: [Int] { inTurn(Host.coreNumbers, siblings: siblings(of:)) }

  /// Some cores in that order.
  ///
  /// - Parameter siblings: the cores that are of one physical core with a core, itself among them.
  static func inTurn(_ cores: [Int], siblings: (Int) -> [Int]) -> [Int] {
    let ranks = cores.map { core in
      let own = Set(siblings(core))
      return (rank: cores.count { $0 < core && own.contains($0) }, core: core)
    }
    return ranks.sorted { ($0.rank, $0.core) < ($1.rank, $1.core) }.map(\.core)
  }

  private static func siblings(of core: Int) -> [Int] {
    let list = readFile("/sys/devices/system/cpu/cpu\(core)/topology/thread_siblings_list")
    return list.map(numbers(in:)) ?? [core]
  }

  /// The numbers in a list as the kernel writes it: `0-1,8`.
  static func numbers(in list: String) -> [Int] {
    list.split { ",\n ".contains($0) }.flatMap { part -> [Int] in
      let ends = part.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last, last - first < 1 << 16 else { return [] }
      return Array(first...last)
    }
  }

  /// What the command line of a process must say behind its subcommand, so that it is confined before Dispatch counts
  /// its cores, which it does before `main`.
  public static func argument(_ cores: [Int]) -> String { cores.map(String.init).joined(separator: ",") }

  /// Makes sure that this process was confined to `cores`.
  ///
  /// - Throws: ``SystemError`` when the system did not do it.
  public static func requireOwn(_ cores: [Int]) throws(SystemError) {
    let status = gcdlab_confinement()
    if status != 0 { throw SystemError(status, "keep a worker to cores \(argument(cores))") }
    guard Set(Host.coreNumbers) == Set(cores) else {
      throw SystemError(EINVAL, "keep a worker to cores \(argument(cores))")
    }
  }
}
