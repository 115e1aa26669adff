#if os(Linux)
  import Dispatch
  import Glibc

  /// A monitor of paths. For the path of a file, the watcher reports changes of the file that is currently at the path.
  /// For a directory, the watcher reports changes of all entries.
  ///
  /// The watcher watches the directory of each file. The events of the directory report a file that appears, and a file
  /// that an editor renames to the path. A file that is watched by its own path also has a watch for its link count,
  /// since the directory does not report links in other directories. Each parent directory of a path is watched for the
  /// name of the next directory on the path. A directory that is removed and created again is thereby watched again.
  ///
  /// Conformance to `Sendable` is unchecked: the state is used only on the serial queue, or before the queue is in use.
  public final class PathWatcher: @unchecked Sendable {
    private struct Known {
      let inode: ino_t
      var size: off_t
      var links: nlink_t
    }

    /// The watched files of one directory.
    private struct Directory {
      /// The prefixes of the entries' paths: one prefix for each path under which the whole directory is watched.
      var prefixes: [String] = []
      /// The paths under which individual entries are watched, keyed by entry name.
      var paths: [String: [String]] = [:]

      var isEmpty: Bool { prefixes.isEmpty && paths.values.allSatisfy(\.isEmpty) }

      /// Returns the distinct paths under which the entry `name` is watched.
      func paths(of name: String) -> [String] {
        let single = paths[name] ?? []
        return single + prefixes.map { $0 + name }.filter { !single.contains($0) }
      }
    }

    /// The paths of the directories that are watched with all their entries.
    private var wholes: Set<String> = []
    /// The paths at which no file existed at the start. The watcher waits for these files.
    public let awaited: [String]
    private let queue = DispatchQueue(label: "gcdlab.path-watcher")
    private let handler: @Sendable (PathEvent) -> Void
    private let stream: InotifyStream
    private var directories: [Int32: Directory] = [:]
    private var known: [String: Known] = [:]
    /// The numbers of the watches of individual files, keyed by the path of the file.
    private var files: [String: Int32] = [:]
    /// The numbers of the watches of directories, keyed by watched path. The watched directory is the path itself if
    /// the path is a directory, and the parent of the path otherwise. A path whose directory does not exist has no
    /// watch.
    private var places: [String: Int32] = [:]
    /// The inodes of the files that were found in a new directory, keyed by path. An event may report such a file
    /// again.
    private var arrived: [String: ino_t] = [:]
    /// The watched paths that lead through an entry of a directory, keyed by the number of the directory's watch and by
    /// the name of the entry. The entry may be removed and created again.
    private var ways: [Int32: [String: Set<String>]] = [:]

    /// Starts to watch `paths`: directories, and files that need not exist yet.
    ///
    /// - Parameter handler: a closure that receives the changes, one at a time.
    /// - Throws: ``SystemError`` if the directory of a path does not exist, or if a path cannot be watched.
    public init(paths: [String], handler: @escaping @Sendable (PathEvent) -> Void) throws(SystemError) {
      self.handler = handler
      var awaited: [String] = []
      for path in paths where try !Self.exists(path) { awaited.append(path) }
      self.awaited = awaited
      stream = try InotifyStream(queue: queue)
      do { for path in paths { try watch(path) } } catch {
        stream.cancel()
        throw error
      }
      // The stream is activated only now, and still delivers all changes since the watches were set.
      stream.setEventHandler { [weak self] event, time in self?.sort(event, time) }
      stream.activate()
    }

    /// Stops watching.
    public func cancel() { stream.cancel() }

    /// Returns whether a file exists at `path`.
    ///
    /// - Throws: ``SystemError`` if the path cannot be examined, if it ends with a slash and does not exist, or if
    ///   neither the file nor its directory exists.
    private static func exists(_ path: String) throws(SystemError) -> Bool {
      var status = stat()
      if stat(path, &status) == 0 { return true }
      let error = errno
      let (prefix, name) = split(path)
      guard error == ENOENT, !name.isEmpty, stat(prefix.isEmpty ? "." : prefix, &status) == 0 else {
        throw SystemError(error, "watch \(path)")
      }
      return false
    }

    /// Splits a path after its last slash into a prefix and a name. The prefix of a path without a slash is empty.
    private static func split(_ path: String) -> (prefix: String, name: String) {
      guard let slash = path.lastIndex(of: "/") else { return ("", path) }
      return (String(path[...slash]), String(path[path.index(after: slash)...]))
    }

    private func watch(_ path: String) throws(SystemError) {
      var status = stat()
      let isDirectory = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      if isDirectory { wholes.insert(path) }
      let number = try watchPlace(of: path)
      places[path] = number
      watchWay(to: path)
      let (prefix, name) = parts(of: path)
      if isDirectory {
        directories[number, default: Directory()].prefixes.append(prefix)
        learn(path)
        for name in namesInDirectory(prefix) ?? [] { learn(prefix + name) }
      } else if directories[number]?.paths[name]?.contains(path) != true {
        directories[number, default: Directory()].paths[name, default: []].append(path)
        try follow(path)
        learn(path)
      }
    }

    /// Returns the directory that is watched for `path`, with a trailing slash, and the name to watch in the directory.
    /// The prefix is empty for the working directory. The name is empty if the whole directory is watched.
    private func parts(of path: String) -> (prefix: String, name: String) {
      wholes.contains(path) ? (path.hasSuffix("/") ? path : path + "/", "") : Self.split(path)
    }

    private func watchPlace(of path: String) throws(SystemError) -> Int32 {
      let prefix = parts(of: path).prefix
      let mask = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
      return try stream.add(prefix.isEmpty ? "." : prefix, UInt32(mask), called: path)
    }

    /// Watches the parent directories of the directory of `path`, each for the name of the next directory on the path.
    /// The method stops at the first directory that cannot be watched, for instance because it does not exist.
    private func watchWay(to path: String) {
      let directory = parts(of: path).prefix
      var prefix = directory.hasPrefix("/") ? "/" : ""
      let mask = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD
      for name in directory.split(separator: "/") {
        guard let number = try? stream.add(prefix.isEmpty ? "." : prefix, UInt32(mask)) else { return }
        ways[number, default: [:]][String(name), default: []].insert(path)
        prefix += name + "/"
      }
    }

    /// Handles the appearance or disappearance of a parent directory of `path`. If the directory of `path` is now a
    /// different directory, the method watches the new directory. The method then reports the files that disappeared
    /// with the old directory, and the files that appeared with the new directory.
    private func arrive(at path: String, _ time: UInt64) {
      // The parent directories are watched first, so that everything that appears later causes an event.
      watchWay(to: path)
      let (before, now) = (places[path], try? watchPlace(of: path))
      guard now != before else { return }
      places[path] = now
      let (prefix, name) = parts(of: path)
      if let before { directoryGone(path, watch: before, time) }
      guard let now else { return }
      var there = [path]
      if wholes.contains(path) {
        directories[now, default: Directory()].prefixes.append(prefix)
        there += (namesInDirectory(prefix) ?? []).sorted().map { prefix + $0 }
      } else {
        directories[now, default: Directory()].paths[name, default: []].append(path)
        try? follow(path)
      }
      for path in there where known[path] == nil {
        guard let after = learn(path) else { continue }
        arrived[path] = after.inode
        report(.created, path, nil, after, time)
      }
    }

    /// Handles the removal or renaming of the directory of `path`.
    private func directoryGone(_ path: String, watch number: Int32, _ time: UInt64) {
      let (prefix, name) = parts(of: path)
      if wholes.contains(path) {
        directories[number]?.prefixes.removeAll { $0 == prefix }
        known = known.filter { !$0.key.hasPrefix(prefix) || $0.key == path }
      } else {
        unfollow(path)
        directories[number]?.paths[name]?.removeAll { $0 == path }
      }
      // No event reports a file whose directory was moved away.
      if let before = known.removeValue(forKey: path) { report(.deleted, path, before, nil, time) }
      // The directory may still exist under another name.
      if directories[number]?.isEmpty == true {
        directories[number] = nil
        if ways[number] == nil { stream.remove(number) }
      }
    }

    /// Watches the file at `path`, if the file exists. If the file is not readable, only the events of its directory
    /// are reported.
    private func follow(_ path: String) throws(SystemError) {
      let mask = IN_ATTRIB | IN_MASK_ADD | IN_DONT_FOLLOW
      do { files[path] = try stream.add(path, UInt32(mask)) } catch {
        if error.code != ENOENT, error.code != EACCES { throw error }
      }
    }

    /// Ends the watch of the file at `path`, unless the watch also serves another watched path or a watched directory.
    private func unfollow(_ path: String) {
      guard let number = files.removeValue(forKey: path), !files.values.contains(number), directories[number] == nil,
        ways[number] == nil
      else { return }
      stream.remove(number)
    }

    /// Returns the current status of the file at `path`; nil if there is no file.
    private static func look(_ path: String) -> Known? {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return Known(inode: status.st_ino, size: status.st_size, links: status.st_nlink)
    }

    /// Returns and stores the current status of the file at `path`; nil if there is no file.
    @discardableResult
    private func learn(_ path: String) -> Known? {
      known[path] = Self.look(path)
      return known[path]
    }

    private func sort(_ event: InotifyStream.Event, _ time: UInt64) {
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
        handler(PathEvent(time: time, kind: .overflow, path: "", size: nil, previousSize: nil))
      }
      guard let name = event.name.map({ String(cString: $0) }) else {
        if event.mask & UInt32(IN_IGNORED) != 0 {
          files = files.filter { $0.value != event.watch }
          (directories[event.watch], ways[event.watch]) = (nil, nil)
        }
        for path in files.filter({ $0.value == event.watch }).keys.sorted() { counted(path, time) }
        return
      }
      for path in directories[event.watch]?.paths(of: name) ?? [] {
        if event.mask & UInt32(IN_MODIFY | IN_ATTRIB) != 0 {
          changed(path, event.mask, time)
        } else {
          named(path, event.mask, isSingle: directories[event.watch]?.paths[name]?.contains(path) == true, time)
        }
      }
      // Only the appearance or disappearance of a name matters here.
      guard event.mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0 else { return }
      for path in (ways[event.watch]?[name] ?? []).sorted() { arrive(at: path, time) }
    }

    /// Handles a change of a file's content or status. Each kind of event updates only its own fields of the known
    /// status, since a later event may report the other fields.
    private func changed(_ path: String, _ mask: UInt32, _ time: UInt64) {
      let before = known[path]
      let after = learn(path)
      if mask & UInt32(IN_MODIFY) != 0 {
        if let before { known[path]?.links = before.links }
        report(after?.size ?? 0 > before?.size ?? 0 ? .extend : .write, path, before, after, time)
      } else if after != nil {
        if let before {
          known[path]?.size = before.size
          if files[path] != nil { known[path]?.links = before.links }
        }
        report(.attrib, path, before, after, time)
      }
    }

    /// Handles a status change of a file that has its own watch. Only a change of the file's link count is reported.
    private func counted(_ path: String, _ time: UInt64) {
      var status = stat()
      // The directory's watch reports that the file has lost this name, or its last name.
      guard let before = known[path], lstat(path, &status) == 0, status.st_nlink > 0, status.st_ino == before.inode,
        status.st_nlink != before.links
      else { return }
      known[path]?.links = status.st_nlink
      report(.link, path, before, known[path], time)
    }

    /// Handles the appearance, disappearance or replacement of the name at `path`. `isSingle` is true if the path is
    /// watched by itself, and false if the path is watched only through its directory.
    private func named(_ path: String, _ mask: UInt32, isSingle: Bool, _ time: UInt64) {
      let before = known[path]
      if isSingle {
        unfollow(path)
        // If the file cannot be watched itself, its directory still reports most changes.
        try? follow(path)
      }
      // The file may have grown since it was reported. An event that reports the growth is pending, so the known status
      // is not updated.
      if let event = arrived.removeValue(forKey: path), mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0,
        event == Self.look(path)?.inode
      {
        return
      }
      let after = learn(path)
      let kind: PathEvent.Kind =
        if mask & UInt32(IN_CREATE) != 0 {
          .created
        } else if mask & UInt32(IN_DELETE) != 0 {
          .deleted
        } else if mask & UInt32(IN_MOVED_FROM) != 0 {
          .renamed
        } else {
          before == nil ? .created : .replaced
        }
      report(kind, path, before, after, time)
      // A name that appears or disappears changes the link count that the other names of the file show.
      let inodes = [before, after].compactMap { file in file.flatMap { $0.links > 1 ? $0.inode : nil } }
      guard !inodes.isEmpty else { return }
      let others = known.filter { $0.key != path && files[$0.key] == nil && inodes.contains($0.value.inode) }
      for (other, old) in others.sorted(by: { $0.key < $1.key }) {
        guard let new = learn(other), new.inode == old.inode, new.links != old.links else { continue }
        report(.link, other, old, new, time)
      }
    }

    private func report(_ kind: PathEvent.Kind, _ path: String, _ before: Known?, _ after: Known?, _ time: UInt64) {
      handler(
        PathEvent(
          time: time, kind: kind, path: path, size: after.map { Int($0.size) },
          previousSize: before.map { Int($0.size) }))
    }
  }
#endif
