import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Closes the descriptors that an exit test's process inherited from the tests beside it: about two hundred if many run
/// at once, with any numbers. The standard streams stay. So do the descriptors that the runner named in the
/// environment, by which the process reports. Descriptors that the process opened itself stay as well: they are closed
/// on exec, which no inherited descriptor can be.
public func closeInheritedDescriptors() {
  let named = namedAtStart(["SWT_BACKCHANNEL", "SWT_CAPTURED_VALUES"])
  for descriptor in 3..<getdtablesize() where !named.contains(descriptor) {
    let flags = fcntl(descriptor, F_GETFD)
    if flags >= 0, flags & FD_CLOEXEC == 0 { close(descriptor) }
  }
}

/// Returns the descriptors that these variables named when the process started. The runner removes them from the
/// environment before a test begins, but the system still reports them.
private func namedAtStart(_ variables: [String]) -> [Int32] {
  let environment = (try? readBytes("/proc/self/environ", atMost: 1 << 22)) ?? []
  return environment.split(separator: 0).compactMap { entry in
    let parts = String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1)
    return parts.count == 2 && variables.contains(String(parts[0])) ? Int32(parts[1]) : nil
  }
}
