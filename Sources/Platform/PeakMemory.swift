#if canImport(Darwin)
  import Darwin
#endif

extension Host {
  /// The most memory that this process has held at once since it began, in bytes: the peak of its resident set. Nil
  /// where the system does not tell. Takes some 20 us.
  public static var peakMemory: Int? {
    #if canImport(Darwin)
      // Written to the documented API; not compiled or run by the project's CI, which has no Mac.
      var usage = rusage()
      return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : nil
    #else
      // Not ru_maxrss, which a process inherits from the one that started it.
      guard let status = readFile("/proc/self/status"), let start = status.firstRange(of: "VmHWM:") else { return nil }
      let digits = status[start.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber }
      return Int(digits).map { $0 << 10 }
    #endif
  }
}
