import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Closes the descriptors that the process of an exit test inherited from concurrent tests.
///
/// There may be hundreds of inherited descriptors, with any numbers. The standard streams stay open. The descriptors
/// that the runner named in the environment stay open, too, since the process reports through them. Descriptors that
/// the process opened itself stay open, since they have the close-on-exec flag, which no inherited descriptor has.
public func closeInheritedDescriptors() {
  let named = namedAtStart(["SWT_BACKCHANNEL", "SWT_CAPTURED_VALUES"])
  for descriptor in 3..<getdtablesize() where !named.contains(descriptor) {
    let flags = fcntl(descriptor, F_GETFD)
    if flags >= 0, flags & FD_CLOEXEC == 0 { close(descriptor) }
  }
}

/// Returns the descriptors in the environment variables at the start of the process. The runner removes the variables
/// from the environment before a test begins, but the system still reports them.
private func namedAtStart(_ variables: [String]) -> [Int32] {
  let environment = (try? readBytes("/proc/self/environ", atMost: 1 << 22)) ?? []
  return environment.split(separator: 0).compactMap { entry in
    let parts = String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1)
    return parts.count == 2 && variables.contains(String(parts[0])) ? Int32(parts[1]) : nil
  }
}
