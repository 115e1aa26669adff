#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens a file for its events alone: `O_EVTONLY`, so that its volume can still be unmounted; on Linux `O_PATH`, which
/// opens nothing, but has a descriptor.
///
/// - Throws: ``SystemError`` when there is no such file, or no descriptor left.
public func openForEvents(_ path: String) throws(SystemError) -> Int32 {
  #if canImport(Darwin)
    let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
  #else
    // O_PATH, which Swift does not import without _GNU_SOURCE.
    let descriptor = open(path, 0o10000000 | O_CLOEXEC)
  #endif
  guard descriptor >= 0 else { throw SystemError(errno, "watch \(path)") }
  return descriptor
}

/// The path under which the file behind a descriptor is known now, whatever it was opened as; nil when the descriptor
/// is not open, or has no path. Linux names there what is no file (`anon_inode:inotify`), and says ` (deleted)` behind
/// the path of a file that has none any more.
public func currentPath(of descriptor: Int32) -> String? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
    guard let base = buffer.baseAddress else { return nil }
    #if canImport(Darwin)
      guard fcntl(descriptor, F_GETPATH, base) != -1 else { return nil }
      return String(cString: base)
    #else
      let length = readlink("/proc/self/fd/\(descriptor)", base, Int(PATH_MAX))
      guard length >= 0 else { return nil }
      base[length] = 0
      return String(cString: base)
    #endif
  }
}
