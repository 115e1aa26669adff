#if canImport(Darwin)
  import Darwin
  import Dispatch

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.

  /// A monitor of paths. For the path of a file, the watcher reports changes of the file that is currently at the path.
  /// For a directory, the watcher reports changes of the directory itself, such as a new entry.
  ///
  /// A vnode source follows a file, not a name. For each file, the watcher therefore also has a source of the file's
  /// directory. The directory's source reports a file that appears at the path, or that an editor renames to the path.
  ///
  /// Conformance to `Sendable` is unchecked: the state is used only on the serial queue, or before the queue is in use.
  public final class PathWatcher: @unchecked Sendable {
    /// The paths at which no file existed at the start. The watcher waits for these files.
    public let awaited: [String]
    private let queue = DispatchQueue(label: "gcdlab.path-watcher")
    private let handler: @Sendable (PathEvent) -> Void
    private var files: [String: (monitor: FileMonitor, inode: ino_t, size: Int)] = [:]
    private var directories: [FileMonitor] = []

    /// Starts to watch `paths`: directories, and files that need not exist yet. Calls `handler` with each change, one
    /// at a time.
    ///
    /// - Throws: ``SystemError`` if the directory of a path does not exist, or if a path cannot be watched.
    public init(paths: [String], handler: @escaping @Sendable (PathEvent) -> Void) throws(SystemError) {
      self.handler = handler
      var awaited: [String] = []
      for path in paths {
        let parent = Self.parent(of: path)
        var status = stat()
        if stat(path, &status) != 0 {
          let error = errno
          guard error == ENOENT, !path.hasSuffix("/"), stat(parent, &status) == 0 else {
            throw SystemError(error, "watch \(path)")
          }
          awaited.append(path)
        }
      }
      self.awaited = awaited
      for path in paths {
        if !awaited.contains(path) { try follow(path) }
        directories.append(
          try Self.monitor(Self.parent(of: path), queue) { [weak self] _, time in self?.look(at: path, time) })
      }
    }

    /// Stops watching.
    public func cancel() {
      queue.async { [self] in
        for file in files.values { file.monitor.cancel() }
        for directory in directories { directory.cancel() }
      }
    }

    private static func parent(of path: String) -> String {
      guard let slash = path.lastIndex(of: "/") else { return "." }
      return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func monitor(
      _ path: String, _ queue: DispatchQueue, _ handler: @escaping @Sendable (FileChange, UInt64) -> Void
    ) throws(SystemError) -> FileMonitor {
      let descriptor = try openForEvents(path)
      let monitor: FileMonitor
      do { monitor = try FileMonitor(fileDescriptor: descriptor, queue: queue) } catch {
        close(descriptor)
        throw error
      }
      monitor.setEventHandler(handler)
      monitor.setCancelHandler { close(descriptor) }
      monitor.activate()
      return monitor
    }

    private func follow(_ path: String) throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError(errno, "watch \(path)") }
      let monitor = try Self.monitor(path, queue) { [weak self] change, time in self?.report(change, path, time) }
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
      // The next file at the path may have the same inode number.
      if kind == .renamed || kind == .deleted { files.removeValue(forKey: path)?.monitor.cancel() }
    }

    private func look(at path: String, _ time: UInt64) {
      var status = stat()
      guard stat(path, &status) == 0 else {
        // A pending event of the file itself is no longer delivered.
        guard let gone = files.removeValue(forKey: path) else { return }
        gone.monitor.cancel()
        handler(PathEvent(time: time, kind: .deleted, path: path, size: nil, previousSize: gone.size))
        return
      }
      guard status.st_ino != files[path]?.inode else { return }
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
