/// The time namespace of this process (Linux). The monotonic clock of a time namespace can differ from the kernel's
/// clock. A container that was moved to another machine has a time namespace, in which the container's clock continues.
enum TimeNamespace {
  /// The nanoseconds by which the monotonic clock of this process is ahead of the kernel's clock, modulo 2^64; 0 if the
  /// system has no time namespaces. Perf events contain the kernel's time.
  static var monotonicOffset: UInt64 { monotonicOffset(in: readFile("/proc/self/timens_offsets") ?? "") }

  /// Returns the offset of the monotonic clock in nanoseconds, modulo 2^64, from a text such as
  /// `monotonic 100 500000000`; 0 if the text does not contain the offset.
  static func monotonicOffset(in text: String) -> UInt64 {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      // The first kernels with time namespaces wrote the clock's number in place of its name.
      guard words.count == 3, ["monotonic", "1"].contains(words[0]), let seconds = Int64(words[1]),
        let nanoseconds = Int64(words[2])
      else { continue }
      return UInt64(bitPattern: seconds &* 1_000_000_000 &+ nanoseconds)
    }
    return 0
  }
}
