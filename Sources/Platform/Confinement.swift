import CDispatchSupport

/// The confinement of processes to some of the machine's cores, and the order in which cores are chosen.
public enum Confinement {
  /// Whether this system can confine a process to some of the cores.
  public static var isPossible: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// The cores that this process may use, in the order in which the lab chooses them. The order begins with one logical
  /// core of each physical core. The siblings of these logical cores follow. Siblings share execution units, so two
  /// siblings are slower than two physical cores. If the system does not report siblings, the cores are in the order of
  /// their numbers.
  public static var coresInTurn: [Int] { inTurn(Host.coreNumbers, siblings: siblings(of:)) }

  /// Returns `cores` in the order in which the lab chooses them.
  ///
  /// - Parameter siblings: a closure that returns all cores that belong to the same physical core as a given core,
  ///   including that core.
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

  /// Returns the core numbers in a list in the kernel's format, such as `0-1,8`. Malformed parts of the list are
  /// omitted.
  static func numbers(in list: String) -> [Int] {
    list.split { ",\n ".contains($0) }.flatMap { part -> [Int] in
      let ends = part.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last, last - first < 1 << 16 else { return [] }
      return Array(first...last)
    }
  }

  /// Returns `cores` as the argument that follows the subcommand of a confined process, such as `0,1`. The process must
  /// be confined before `main` runs, since Dispatch counts the cores before `main`.
  public static func argument(_ cores: [Int]) -> String { cores.map(String.init).joined(separator: ",") }

  /// Verifies that this process is confined to `cores`.
  ///
  /// - Throws: ``SystemError`` if the process is not confined to these cores.
  public static func requireOwn(_ cores: [Int]) throws(SystemError) {
    let status = gcdlab_confinement()
    if status != 0 { throw SystemError(status, "confine a worker to cores \(argument(cores))") }
    guard Set(Host.coreNumbers) == Set(cores) else {
      throw SystemError(EINVAL, "confine a worker to cores \(argument(cores))")
    }
  }
}
