import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Closes the descriptors that an exit test's process inherited from the tests beside it: some two hundred, where many
/// run at once, at any number. The standard streams stay, and what the runner named in the environment, by which the
/// process reports; and what the process opened itself to be closed on exec, which nothing that was inherited can be.
public func closeInheritedDescriptors() {
  let named = namedAtStart(["SWT_BACKCHANNEL", "SWT_CAPTURED_VALUES"])
  for descriptor in 3..<getdtablesize() where !named.contains(descriptor) {
    let flags = fcntl(descriptor, F_GETFD)
    if flags >= 0, flags & FD_CLOEXEC == 0 { close(descriptor) }
  }
}

/// The descriptors that these variables named when the process began. The runner has removed them from the environment
/// before a test begins; the system still tells.
private func namedAtStart(_ variables: [String]) -> [Int32] {
  let environment = (try? readBytes("/proc/self/environ", atMost: 1 << 22)) ?? []
  return environment.split(separator: 0).compactMap { entry in
    let parts = String(decoding: entry, as: UTF8.self).split(separator: "=", maxSplits: 1)
    return parts.count == 2 && variables.contains(String(parts[0])) ? Int32(parts[1]) : nil
  }
}
