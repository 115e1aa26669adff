import Measurement

/// The properties of the machine that affect the figures of a run.
public struct Machine: Sendable, Codable, Hashable {
  /// The name of the operating system, for example `Linux` or `Darwin`.
  public var os: String
  /// The kernel's release.
  public var kernel: String
  /// The name of the processor; nil if the system does not report it.
  public var cpu: String?
  /// The number of cores that this process may use.
  public var cores: Int
  /// The number of online cores, if the process may not use all of them (`taskset`, the processors of a container); nil
  /// if the number is equal to ``cores``. The system and its version determine which of the two numbers limits the
  /// blocks that Dispatch runs at once.
  public var poolWidth: Int?
  /// The system's numbers of the cores that a run was confined to, in the order of selection; nil if the run was not
  /// confined. Trials with `cores=2` used the first two of these cores.
  public var confinedTo: [Int]?
  /// The memory in bytes; nil if the system does not report it.
  public var memory: Int?
  /// The version of the Swift compiler that built the lab.
  public var swift: String
  /// The Dispatch library that was linked in place of Swift's own: its name, the place where it was built, and the
  /// beginning of its SHA-256 sum; nil for Swift's own library.
  public var dispatch: String?
  /// Whether the binary contains Dispatch and Swift's runtime; nil in documents of older labs, which do not contain
  /// this property.
  public var isStatic: Bool?
  /// Whether the lab was built with optimization. The figures of a debug build are not meaningful.
  public var optimised: Bool
  /// The soft limit of open file descriptors.
  public var descriptorLimit: Int
  /// The soft limit of this user's threads; nil if there is no limit.
  public var threadLimit: Int?
  /// The time of a clock read, in nanoseconds.
  public var clockRead: Double
  /// The noise floor: the time of an empty measurement (two clock reads and a record), in nanoseconds.
  public var floor: Double
  /// The speed of calibrated work on this machine.
  public var work: CalibratedWork

  /// Creates a machine from its properties.
  public init(
    os: String, kernel: String, cpu: String?, cores: Int, poolWidth: Int? = nil, memory: Int?, swift: String,
    dispatch: String? = nil, isStatic: Bool? = nil, optimised: Bool, descriptorLimit: Int, threadLimit: Int?,
    clockRead: Double, floor: Double, work: CalibratedWork
  ) {
    self.os = os
    self.kernel = kernel
    self.cpu = cpu
    self.cores = cores
    self.poolWidth = poolWidth
    self.memory = memory
    self.swift = swift
    self.dispatch = dispatch
    self.isStatic = isStatic
    self.optimised = optimised
    self.descriptorLimit = descriptorLimit
    self.threadLimit = threadLimit
    self.clockRead = clockRead
    self.floor = floor
    self.work = work
  }
}
