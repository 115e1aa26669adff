import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Closes the descriptors that an exit test's process inherited from the tests beside it: some two hundred, where many run at
/// once, at any number. The standard streams stay, and what the runner named in the environment, by which the process
/// reports; and what the process opened itself to be closed on exec, which nothing that was inherited can be.
public func closeInheritedDescriptors() {
  let named = ["SWT_BACKCHANNEL", "SWT_CAPTURED_VALUES"].compactMap { Terminal.environment($0) }
  for descriptor in 3..<getdtablesize() where !named.contains(String(descriptor)) {
    let flags = fcntl(descriptor, F_GETFD)
    if flags >= 0, flags & FD_CLOEXEC == 0 { close(descriptor) }
  }
}
