#if os(Linux)
  import Dispatch
  import Glibc

  /// Watches names: a file under its path, whatever file that is, or everything in a directory.
  ///
  /// It watches the directory, so it sees a file appear that is yet to come, and an editor write a new file and rename
  /// it over the old one, and goes on with the new one. A file that is named is watched itself, too, for its link count
  /// alone: a name that it gets or loses elsewhere its own directory does not tell. The directories on the way are
  /// watched for the names of the next, so that one which is removed and made again is watched again.
  ///
  /// Unchecked: its state is touched on the serial queue alone, or before that runs.
  public final class PathWatcher: @unchecked Sendable {
    private struct Known {
      let inode: ino_t
      var size: off_t
      var links: nlink_t
    }

    /// What is watched in one directory.
    private struct Directory {
      /// How the paths of its entries begin, for each way in which the whole of it is watched.
      var prefixes: [String] = []
      /// The paths of single entries, by their names.
      var paths: [String: [String]] = [:]

      var isEmpty: Bool { prefixes.isEmpty && paths.values.allSatisfy(\.isEmpty) }

      /// The paths under which an entry is watched, each once.
      func paths(of name: String) -> [String] {
        let single = paths[name] ?? []
        return single + prefixes.map { $0 + name }.filter { !single.contains($0) }
      }
    }

    /// The paths that are directories, watched as a whole.
    private var wholes: Set<String> = []
    /// The paths that were not there at the start: they are waited for.
    public let awaited: [String]
    private let queue = DispatchQueue(label: "gcdlab.path-watcher")
    private let handler: @Sendable (PathEvent) -> Void
    private let stream: InotifyStream
    private var directories: [Int32: Directory] = [:]
    private var known: [String: Known] = [:]
    /// The watches of files that are watched themselves, by the path that was named.
    private var files: [String: Int32] = [:]
    /// The directory of each path that was named: itself or the one it is in, while there is one.
    private var places: [String: Int32] = [:]
    /// What was found in a directory that had just come. An event may tell of it again.
    private var arrived: [String: ino_t] = [:]
    /// The paths that lead through an entry of a directory. It may be removed and made again.
    private var ways: [Int32: [String: Set<String>]] = [:]

    /// Starts to watch `paths`: files, which may be yet to come, or directories.
    ///
    /// - Parameter handler: called for each change, one at a time.
    /// - Throws: ``SystemError`` when a directory does not exist or something cannot be watched.
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
      // It is active only now: nothing of what happens since the watches were set is lost.
      stream.setEventHandler { [weak self] event, time in self?.sort(event, time) }
      stream.activate()
    }

    /// Stops watching.
    public func cancel() { stream.cancel() }

    /// Whether something has this name now; if not, the directory it will be in must exist.
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

    /// How the path begins, with its last slash, and the name behind that.
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

    /// The directory that is watched for a path, with its slash, and the name of interest in it; no name for all of it.
    private func parts(of path: String) -> (prefix: String, name: String) {
      wholes.contains(path) ? (path.hasSuffix("/") ? path : path + "/", "") : Self.split(path)
    }

    private func watchPlace(of path: String) throws(SystemError) -> Int32 {
      let prefix = parts(of: path).prefix
      let mask = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
      return try stream.add(prefix.isEmpty ? "." : prefix, UInt32(mask), called: path)
    }

    /// Watches the directories on the way to that of `path`, as far as there are any and they may be read, each for the
    /// name of the next.
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

    /// Something on the way to `path` has come or gone. What is there now is watched, and told where it is another.
    private func arrive(at path: String, _ time: UInt64) {
      // The way first: what comes after it is set up makes an event.
      watchWay(to: path)
      let (before, now) = (places[path], try? watchPlace(of: path))
      guard now != before else { return }
      places[path] = now
      let (prefix, name) = parts(of: path)
      if let before { leave(path, before, time) }
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
        tell(.created, path, nil, after, time)
      }
    }

    /// The directory of `path` is no more what it was.
    private func leave(_ path: String, _ number: Int32, _ time: UInt64) {
      let (prefix, name) = parts(of: path)
      if wholes.contains(path) {
        directories[number]?.prefixes.removeAll { $0 == prefix }
        known = known.filter { !$0.key.hasPrefix(prefix) || $0.key == path }
      } else {
        unfollow(path)
        directories[number]?.paths[name]?.removeAll { $0 == path }
      }
      // A file whose directory was moved away was not told of.
      if let before = known.removeValue(forKey: path) { tell(.deleted, path, before, nil, time) }
      // It may live on under another name.
      if directories[number]?.isEmpty == true {
        directories[number] = nil
        if ways[number] == nil { stream.remove(number) }
      }
    }

    /// Watches the file that has the name now, if there is one. Of one that may not be read only its directory tells.
    private func follow(_ path: String) throws(SystemError) {
      let mask = IN_ATTRIB | IN_MASK_ADD | IN_DONT_FOLLOW
      do { files[path] = try stream.add(path, UInt32(mask)) } catch {
        if error.code != ENOENT, error.code != EACCES { throw error }
      }
    }

    /// Ends that, unless another path means the same file, or it is a directory that is watched as a whole.
    private func unfollow(_ path: String) {
      guard let number = files.removeValue(forKey: path), !files.values.contains(number), directories[number] == nil,
        ways[number] == nil
      else { return }
      stream.remove(number)
    }

    /// What has the name now.
    private static func look(_ path: String) -> Known? {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return Known(inode: status.st_ino, size: status.st_size, links: status.st_nlink)
    }

    /// The same, to be known from now on.
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
      // What is asked of the mask is whether a name has come or gone.
      guard event.mask & UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) != 0 else { return }
      for path in (ways[event.watch]?[name] ?? []).sorted() { arrive(at: path, time) }
    }

    /// The content or the status of a file has changed. Each keeps its own part of what is known: the rest may be what
    /// another event is still to tell of.
    private func changed(_ path: String, _ mask: UInt32, _ time: UInt64) {
      let before = known[path]
      let after = learn(path)
      if mask & UInt32(IN_MODIFY) != 0 {
        if let before { known[path]?.links = before.links }
        tell(after?.size ?? 0 > before?.size ?? 0 ? .extend : .write, path, before, after, time)
      } else if after != nil {
        if let before {
          known[path]?.size = before.size
          if files[path] != nil { known[path]?.links = before.links }
        }
        tell(.attrib, path, before, after, time)
      }
    }

    /// The status of a file that is watched itself has changed: of interest is whether it has more links or fewer.
    private func counted(_ path: String, _ time: UInt64) {
      var status = stat()
      // One that has lost the name, or its last, is told of by its directory.
      guard let before = known[path], lstat(path, &status) == 0, status.st_nlink > 0, status.st_ino == before.inode,
        status.st_nlink != before.links
      else { return }
      known[path]?.links = status.st_nlink
      tell(.link, path, before, known[path], time)
    }

    /// What became of a name.
    private func named(_ path: String, _ mask: UInt32, isSingle: Bool, _ time: UInt64) {
      let before = known[path]
      if isSingle {
        unfollow(path)
        // Without a watch of its own, its directory still tells of most.
        try? follow(path)
      }
      // It may have grown since it was told, of which an event is still to come: what is known stays.
      if let told = arrived.removeValue(forKey: path), mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0,
        told == Self.look(path)?.inode
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
      tell(kind, path, before, after, time)
      // A name more or less is a link more or less for other names of the same file.
      let inodes = [before, after].compactMap { file in file.flatMap { $0.links > 1 ? $0.inode : nil } }
      guard !inodes.isEmpty else { return }
      let others = known.filter { $0.key != path && files[$0.key] == nil && inodes.contains($0.value.inode) }
      for (other, old) in others.sorted(by: { $0.key < $1.key }) {
        guard let new = learn(other), new.inode == old.inode, new.links != old.links else { continue }
        tell(.link, other, old, new, time)
      }
    }

    private func tell(_ kind: PathEvent.Kind, _ path: String, _ before: Known?, _ after: Known?, _ time: UInt64) {
      handler(
        PathEvent(
          time: time, kind: kind, path: path, size: after.map { Int($0.size) },
          previousSize: before.map { Int($0.size) }))
    }
  }
#endif
