/// The open descriptors of this process, as the system reports them.
public enum OpenDescriptors {
  /// The largest number of descriptors that are examined one by one.
  private static let mostExamined = 1 << 20

  /// Returns the number of open descriptors. On Linux 6.2 or later, the call takes less than a microsecond and uses no
  /// descriptor. If the system does not report the number, the call examines each number below the soft limit, and
  /// returns nil if the limit is above 2^20.
  public static func count() -> Int? {
    #if os(Linux)
      // Since Linux 6.2, the size of this directory is the number of its entries. In earlier versions the size is 0.
      var status = stat()
      if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
      // One of the names is the descriptor of the listing itself.
      if let names = namesInDirectory("/proc/self/fd") { return names.count - 1 }
    #endif
    return scanned()
  }

  /// Returns the current paths of the open descriptors that have a path (``currentPath(of:)``); an empty array if
  /// `/proc` is not available (Linux), or if the limit is above 2^20 (Darwin).
  public static func paths() -> [String] {
    #if os(Linux)
      let numbers = (namesInDirectory("/proc/self/fd") ?? []).compactMap { Int32($0) }
    #else
      let numbers = DescriptorLimit.tableSize <= mostExamined ? Array(0..<Int32(DescriptorLimit.tableSize)) : []
    #endif
    return numbers.compactMap { currentPath(of: $0) }
  }

  /// Returns the number of open descriptors below the soft limit, by examining every number below the limit; nil if the
  /// limit is above 2^20. Descriptors above the limit, which were opened before the limit was lowered, are not counted.
  static func scanned() -> Int? {
    let numbers = DescriptorLimit.tableSize
    return numbers <= mostExamined ? numbers - DescriptorLimit.free(below: numbers) : nil
  }
}
