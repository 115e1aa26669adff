/// The times that the cores of a set have spent in each state since the machine started, added up over the cores, in
/// clock ticks.
public struct ProcessorTimes: Sendable {
  /// The time in which the cores ran processes or the kernel.
  public let busy: UInt64
  /// The time that the hypervisor gave to other virtual machines.
  public let stolen: UInt64
  /// The whole time, including idle time.
  public let total: UInt64

  /// Creates processor times from their values in clock ticks.
  public init(busy: UInt64, stolen: UInt64, total: UInt64) {
    self.busy = busy
    self.stolen = stolen
    self.total = total
  }
}
