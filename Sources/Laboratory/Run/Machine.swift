import Measurement

/// The machine a run was made on, as far as it bears on the figures.
public struct Machine: Sendable, Codable, Hashable {
  /// `Linux`, `Darwin`.
  public var os: String
  /// The kernel's release.
  public var kernel: String
  /// The processor's name; nil where the system does not tell.
  public var cpu: String?
  /// Cores this process may use.
  public var cores: Int
  /// How many blocks Dispatch, or Swift's pool on top of it, may run at once where the process may not use all cores
  /// that are online (`taskset`, the processors of a container): they go by either, by system and version. Nil where
  /// there is but one number.
  public var poolWidth: Int?
  /// The numbers of the cores that a run was confined to, in the order in which they are taken: its trials at `cores=2`
  /// had the first two. Nil where it was not confined.
  public var confinedTo: [Int]?
  /// Memory in bytes; nil where the system does not tell.
  public var memory: Int?
  /// The version of Swift the lab was built with.
  public var swift: String
  /// Which Dispatch the lab was linked with in place of the one that comes with Swift: its name, where it was built and
  /// the beginning of its SHA-256 sum; nil for the one that comes with Swift.
  public var dispatch: String?
  /// Whether Dispatch and Swift's runtime are in the binary; nil in documents of labs that did not say.
  public var isStatic: Bool?
  /// Whether the lab was built with optimisation; figures of a debug build mean nothing.
  public var optimised: Bool
  /// The soft limit of open descriptors.
  public var descriptorLimit: Int
  /// The soft limit of threads of this user; nil when there is none.
  public var threadLimit: Int?
  /// What a read of the clock costs, in nanoseconds.
  public var clockRead: Double
  /// The noise floor: what timing nothing costs (two clock reads and a record), in nanoseconds.
  public var floor: Double
  /// How fast the calibrated work runs here.
  public var work: CalibratedWork

  /// A machine, with every fact given.
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
