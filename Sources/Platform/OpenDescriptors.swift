#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The descriptors that this process has open, as the system lists them.
public enum OpenDescriptors {
  /// The most numbers that are looked at one by one.
  private static let patience = 1 << 20

  /// How many are open now; nil where the system does not tell. Takes no descriptor itself where Linux is 6.2 or later,
  /// so it can be asked when there is none left, and then costs less than a microsecond.
  public static func count() -> Int? {
    #if os(Linux)
      // The size of this directory is the number of its entries, since 6.2; before, it was 0.
      var status = stat()
      if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
      // One of the names is that of the listing itself.
      if let names = namesInDirectory("/proc/self/fd") { return names.count - 1 }
    #endif
    return scanned()
  }

  /// What each open descriptor refers to now (``currentPath(of:)``), where it has a path; empty where the system does
  /// not list descriptors.
  public static func paths() -> [String] {
    #if os(Linux)
      let numbers = (namesInDirectory("/proc/self/fd") ?? []).compactMap { Int32($0) }
    #else
      let numbers = DescriptorLimit.tableSize <= patience ? Array(0..<Int32(DescriptorLimit.tableSize)) : []
    #endif
    return numbers.compactMap { currentPath(of: $0) }
  }

  /// Looks at every number below the soft limit; what was opened before the limit was lowered can lie above and is
  /// missed then. Nil where there are too many to look at.
  static func scanned() -> Int? {
    let numbers = DescriptorLimit.tableSize
    return numbers <= patience ? numbers - DescriptorLimit.free(below: numbers) : nil
  }
}
