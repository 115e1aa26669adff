import CDispatchSupport

/// A user's program, and whether its calls of Dispatch can be recorded.
public struct Program: Sendable {
  /// The path of the program's file.
  public let path: String
  /// Whether and how the program can be recorded.
  public let kind: Kind

  /// Whether and how a program can be recorded.
  public enum Kind: Sendable, Equatable {
    /// The program loads Dispatch as a library, so the program's calls can be recorded.
    case dispatch
    /// The program is linked with the recorder, so the program's calls can be recorded.
    case linkedWithRecorder
    /// The program contains Dispatch instead of loading Dispatch as a library, so the program's calls cannot be
    /// recorded.
    case containsDispatch
    /// The program loads libraries, and neither loads nor contains Dispatch.
    case withoutDispatch
    /// The program loads no library, and does not contain Dispatch.
    case isStatic
    /// The program runs with privileges that differ from its caller's, so the loader does not preload the recorder.
    case privileged
    /// The program cannot be recorded, for the reason in the associated value.
    case other(String)
  }

  /// Finds a program by its name on the command line, and examines the program's file.
  ///
  /// - Parameter recorder: the path of the library to preload.
  /// - Throws: ``SystemError`` if the program does not exist, or if it cannot be run or read.
  public init(named name: String, preloading recorder: String) throws(SystemError) {
    path = try Self.path(of: name)
    kind = try Self.kind(of: path, preloading: recorder, depth: 0)
  }

  /// Returns the path of the program `name`, found as a shell finds a command.
  ///
  /// - Throws: ``SystemError`` if the program does not exist, or if its file cannot be run.
  private static func path(of name: String) throws(SystemError) -> String {
    func runs(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
    if name.contains("/") {
      guard access(name, F_OK) == 0 else { throw SystemError(errno, "run \(name)") }
      guard runs(name) else { throw SystemError(EACCES, "run \(name)") }
      return name
    }
    let folders = (Terminal.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(
      separator: ":", omittingEmptySubsequences: false)
    guard let found = folders.lazy.map({ "\($0.isEmpty ? "." : $0)/\(name)" }).first(where: runs) else {
      throw SystemError(ENOENT, "run \(name)")
    }
    return found
  }

  private static func kind(of path: String, preloading recorder: String, depth: Int) throws(SystemError) -> Kind {
    let head = try readBytes(path, atMost: 65_536)
    if head.starts(with: Array("#!".utf8)) {
      // The program in the first line of a script runs the script.
      let line = String(decoding: head.dropFirst(2).prefix { $0 != 10 }, as: UTF8.self)
      guard depth < 4, let interpreter = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first else {
        return .other("its first line names no program")
      }
      return try kind(of: String(interpreter), preloading: recorder, depth: depth + 1)
    }
    guard let header = ELFHeader(head) else { return .other("it is not a program of this system") }
    guard header.isOfThisMachine else { return .other("it is a program for another processor") }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & (S_ISUID | S_ISGID) != 0, getuid() != 0 || status.st_uid != 0 {
      return .privileged
    }
    var kind = Kind.isStatic
    if let loader = header.loader { kind = try loads(path, by: loader, recorder) }
    guard kind == .withoutDispatch || kind == .isStatic else { return kind }
    switch header.recorder {
    case LinkedRecorder.number: return .linkedWithRecorder
    case .some: return .other("it is linked with the recorder of another version: link it again")
    case nil: return try containsDispatch(path) ? .containsDispatch : kind
    }
  }

  /// Returns whether a file contains Dispatch, by searching for the name of one of Dispatch's queues in the file.
  private static func containsDispatch(_ path: String) throws(SystemError) -> Bool {
    let file = try readBytes(path, atMost: 1 << 30)
    return gcdlab_bytes_contain(file, file.count, "com.apple.root.default-qos")
  }

  /// Returns the kind of a program, as its own loader reports it: the loader lists the libraries that it would load if
  /// the recorder were preloaded.
  private static func loads(_ path: String, by loader: String, _ recorder: String) throws(SystemError) -> Kind {
    let (reader, writer) = try makePipe()
    defer { close(reader) }
    let process: ChildProcess
    do throws(SystemError) {
      process = try ChildProcess(
        ExecutableFile(loader), ["--list", path], environment: ["LD_PRELOAD": recorder],
        descriptors: [1: writer, 2: writer])
    } catch {
      close(writer)
      throw error
    }
    close(writer)
    let text = String(decoding: readToEnd(reader), as: UTF8.self)
    guard process.wait() == 0, text.contains(recorder), !text.contains("cannot be preloaded") else {
      let line = text.split(separator: "\n").first { $0.contains("rror") || $0.contains("not found") }
      return .other(line.map { String($0) } ?? "its loader \(loader) does not load the recorder")
    }
    return text.contains("libdispatch.so") ? .dispatch : .withoutDispatch
  }

  private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}

/// The information in the header of a 64-bit executable file.
struct ELFHeader {
  /// Whether the file is for this machine's processor.
  let isOfThisMachine: Bool
  /// The path of the program's dynamic loader; nil for a static program.
  let loader: String?
  /// The version number of the recorder that the program is linked with (`Linked.c`); nil without a recorder.
  let recorder: UInt32?

  /// Parses the header from the beginning of a file; nil if `bytes` are not the beginning of a 64-bit ELF file.
  init?(_ bytes: [UInt8]) {
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Int? {
      guard offset >= 0, offset + MemoryLayout<Number>.size <= bytes.count else { return nil }
      return Int(
        truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) })
    }
    guard bytes.count >= 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return nil }
    #if arch(x86_64)
      let own = 62
    #elseif arch(arm64)
      let own = 183
    #else
      let own = 0
    #endif
    isOfThisMachine = number(18, UInt16.self) == own
    guard let first = number(32, UInt64.self), let size = number(54, UInt16.self), let count = number(56, UInt16.self)
    else { return nil }
    var (loader, recorder) = (String?.none, UInt32?.none)
    for index in 0..<count {
      let entry = first + index * size
      guard let offset = number(entry + 8, UInt64.self), offset >= 0, let length = number(entry + 32, UInt64.self),
        length > 0, length <= bytes.count - offset
      else { continue }
      switch number(entry, UInt32.self) {
      case 3: loader = String(decoding: bytes[offset..<offset + length - 1], as: UTF8.self)
      case 4:
        // A note consists of the length of its name, the length of its content, its type, its name and its content. The
        // name and the content are aligned to four bytes.
        let head: [UInt8] = [7, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0] + Array("gcdlab\0\0".utf8)
        for note in stride(from: offset, to: offset + length - 23, by: 4) where bytes[note...].starts(with: head) {
          recorder = number(note + head.count, UInt32.self).map(UInt32.init)
        }
      default: break
      }
    }
    self.loader = loader
    self.recorder = recorder
  }
}
