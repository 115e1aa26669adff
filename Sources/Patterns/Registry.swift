import Laboratory

/// Every pattern there is.
public enum Registry {
  /// One line each; see the file of the same name.
  public static let patterns: [any Pattern] = [
    SingletonRace(),
    GroupWaitVsNotify(),
    ApplyStride(),
    FileDescriptorSemaphore(),
    FileMonitorPattern(),
  ]
}
