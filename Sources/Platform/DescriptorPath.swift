/// Opens the file at `path` for monitoring only, and returns the descriptor. On Darwin (`O_EVTONLY`), the descriptor
/// does not prevent the volume from being unmounted. On Linux (`O_PATH`), the descriptor refers to the file, but cannot
/// read or write the file.
///
/// - Throws: ``SystemError`` if the file cannot be opened, for instance because it does not exist or no descriptor is
///   left.
public func openForEvents(_ path: String) throws(SystemError) -> Int32 {
  #if canImport(Darwin)
    let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
  #else
    // The number is O_PATH, which Swift imports only with _GNU_SOURCE.
    let descriptor = open(path, 0o10000000 | O_CLOEXEC)
  #endif
  guard descriptor >= 0 else { throw SystemError(errno, "watch \(path)") }
  return descriptor
}

/// Returns the current path of the file that a descriptor refers to; nil if the descriptor is not open or has no path.
/// On Linux, the function also returns names of objects that are not files (`anon_inode:inotify`), and appends the word
/// `(deleted)` to the path of a deleted file.
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
