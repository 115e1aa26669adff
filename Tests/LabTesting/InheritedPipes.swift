import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Closes the pipes and sockets that an exit test's process inherited from the tests beside it: some two hundred, where many
/// run at once. The standard streams stay, and what the runner named in the environment, by which the process reports.
public func closeInheritedPipes() {
  let named = (0..<1024).filter { number in
    ["SWT_BACKCHANNEL", "SWT_CAPTURED_VALUES"].contains { Terminal.environment($0) == String(number) }
  }
  for descriptor in Int32(3)..<1024 where !named.contains(Int(descriptor)) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { continue }
    close(descriptor)
  }
}
