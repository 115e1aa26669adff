#if os(Linux)
  import Dispatch
  import Glibc

  /// Watches names: a file under its path, whatever file that is, or everything in a directory.
  ///
  /// It watches the directory and not the file, so it sees an editor write a new file and rename it over the old one,
  /// and goes on with the new one.
  ///
  /// Unchecked: its state is touched on the serial queue alone, or before that runs.
  public final class PathWatcher: @unchecked Sendable {
    private struct Known {
      var inode: ino_t
      var size: off_t
      var links: nlink_t
    }

    private let queue = DispatchQueue(label: "gcdlab.path-watcher")
    private let handler: @Sendable (PathEvent) -> Void
    private var stream: InotifyStream?
    /// For each watched directory, how its paths begin and the only name of interest, if there is one.
    private var directories: [Int32: [(prefix: String, name: String?)]] = [:]
    private var known: [String: Known] = [:]

    /// Starts to watch `paths`: files that exist, or directories.
    ///
    /// - Parameter handler: called for each change, one at a time.
    /// - Throws: ``SystemError`` when a path does not exist or cannot be watched.
    public init(paths: [String], handler: @escaping @Sendable (PathEvent) -> Void) throws(SystemError) {
      self.handler = handler
      let stream = try InotifyStream(queue: queue, clock: monotonicNow) { [weak self] event, time in
        self?.sort(event, time)
      }
      self.stream = stream
      do { for path in paths { try watch(path, stream) } } catch {
        stream.cancel()
        throw error
      }
    }

    /// Stops watching.
    public func cancel() { stream?.cancel() }

    private func watch(_ path: String, _ stream: InotifyStream) throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError(errno, "watch \(path)") }
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      let slash = path.lastIndex(of: "/")
      let prefix = isDirectory ? (path.hasSuffix("/") ? path : path + "/") : slash.map { String(path[...$0]) } ?? ""
      let name = isDirectory ? nil : String(path[(slash.map { path.index(after: $0) } ?? path.startIndex)...])
      let mask = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      let number = try stream.add(prefix.isEmpty ? "." : prefix, UInt32(mask))
      queue.sync {
        directories[number, default: []].append((prefix, name))
        if isDirectory { learnEntries(of: prefix) } else { learn(path) }
      }
    }

    private func learnEntries(of prefix: String) {
      for name in namesInDirectory(prefix) ?? [] { learn(prefix + name) }
    }

    @discardableResult
    private func learn(_ path: String) -> Known? {
      var status = stat()
      guard lstat(path, &status) == 0 else {
        known[path] = nil
        return nil
      }
      known[path] = Known(inode: status.st_ino, size: status.st_size, links: status.st_nlink)
      return known[path]
    }

    private func sort(_ event: InotifyStream.Event, _ time: UInt64) {
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
        handler(PathEvent(time: time, kind: .overflow, path: "", size: nil, previousSize: nil))
      }
      guard let name = event.name.map({ String(cString: $0) }) else { return }
      for directory in directories[event.watch] ?? [] where directory.name == nil || directory.name == name {
        let path = directory.prefix + name
        let before = known[path]
        let after = learn(path)
        guard let kind = Self.kind(event.mask, before, after) else { continue }
        handler(
          PathEvent(
            time: time, kind: kind, path: path, size: after.map { Int($0.size) },
            previousSize: before.map { Int($0.size) }))
      }
    }

    private static func kind(_ mask: UInt32, _ before: Known?, _ after: Known?) -> PathEvent.Kind? {
      func has(_ bit: Int32) -> Bool { mask & UInt32(bit) != 0 }
      if has(IN_CREATE) { return .created }
      if has(IN_DELETE) { return .deleted }
      if has(IN_MOVED_FROM) { return .renamed }
      if has(IN_MOVED_TO) { return before == nil ? .created : .replaced }
      if has(IN_MODIFY) { return (after?.size ?? 0) > (before?.size ?? 0) ? .extend : .write }
      guard has(IN_ATTRIB) else { return nil }
      // The old file of a replaced name loses its last link: that was told as replaced.
      guard let after else { return nil }
      return before.map { $0.inode == after.inode && $0.links != after.links } ?? false ? .link : .attrib
    }
  }
#endif
