#if canImport(Darwin)
  import Darwin
  import Dispatch

  // Written to the documented API; not compiled or run by the project's CI, which has no Mac.

  /// Watches names: a file under its path, whatever file that is, or a directory's own entries as a whole.
  ///
  /// A vnode source follows a file. So that a file which an editor renames over the path is seen, its directory has a
  /// source of its own: when that is written, the path may mean another file.
  public final class PathWatcher: @unchecked Sendable {  // State is touched on the serial queue alone.
    private let queue = DispatchQueue(label: "gcdlab.path-watcher")
    private let handler: @Sendable (PathEvent) -> Void
    private var files: [String: (monitor: FileMonitor, inode: ino_t, size: Int)] = [:]
    private var directories: [FileMonitor] = []

    /// Starts to watch `paths`: files that exist, or directories.
    public init(paths: [String], handler: @escaping @Sendable (PathEvent) -> Void) throws(SystemError) {
      self.handler = handler
      for path in paths {
        try follow(path)
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        directories.append(
          try FileMonitor(path: parent.isEmpty ? "/" : parent) { [weak self] _, time in
            guard let self else { return }
            queue.async { self.look(at: path, time) }
          })
      }
    }

    /// Stops watching.
    public func cancel() {
      queue.async { [self] in
        for file in files.values { file.monitor.cancel() }
        for directory in directories { directory.cancel() }
      }
    }

    private func follow(_ path: String) throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError(errno, "watch \(path)") }
      let monitor = try FileMonitor(path: path) { [weak self] change, time in
        guard let self else { return }
        queue.async { self.report(change, path, time) }
      }
      files[path] = (monitor, status.st_ino, Int(status.st_size))
    }

    private func report(_ change: FileChange, _ path: String, _ time: UInt64) {
      let kind: PathEvent.Kind =
        switch change {
        case .write: .write
        case .extend: .extend
        case .attrib: .attrib
        case .link: .link
        case .rename: .renamed
        case .delete: .deleted
        }
      var status = stat()
      let size = stat(path, &status) == 0 ? Int(status.st_size) : nil
      handler(PathEvent(time: time, kind: kind, path: path, size: size, previousSize: files[path]?.size))
      if let size { files[path]?.size = size }
    }

    private func look(at path: String, _ time: UInt64) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_ino != files[path]?.inode else { return }
      let before = files[path]
      before?.monitor.cancel()
      files[path] = nil
      guard (try? follow(path)) != nil else { return }
      handler(
        PathEvent(
          time: time, kind: before == nil ? .created : .replaced, path: path, size: Int(status.st_size),
          previousSize: before?.size))
    }
  }
#endif
