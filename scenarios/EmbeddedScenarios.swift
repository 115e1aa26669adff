/// The scenario files that are built into the binary. A test checks that every `.yml` beside this file is listed.
public enum EmbeddedScenarios {
  /// The name and the bytes of each file.
  public static let files: [(name: String, yaml: [UInt8])] = [
    ("singleton-race", PackageResources.singleton_race_yml),
    ("group-wait-vs-notify", PackageResources.group_wait_vs_notify_yml),
    ("apply-stride", PackageResources.apply_stride_yml),
    ("fd-semaphore", PackageResources.fd_semaphore_yml),
    ("file-monitor", PackageResources.file_monitor_yml),
  ]
}
