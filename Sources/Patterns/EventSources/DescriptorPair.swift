import Instruments

/// The kind of file that a descriptor refers to.
enum DescriptorKind: String, CaseIterable, Sendable {
  /// A pipe.
  case pipe
  /// One of a pair of connected stream sockets (`AF_UNIX`).
  case socket
  /// A file on a disk.
  case file
}

/// A descriptor to write to, with a descriptor from which the written bytes can be read.
struct DescriptorPair: Sendable {
  /// The descriptor to read from.
  let reader: Int32
  /// The descriptor to write to.
  let writer: Int32

  /// Creates a pipe, a pair of sockets, or a file in `scratch`, and adds the descriptors to `opened`. Both descriptors
  /// are in blocking mode, which is the default of the system.
  ///
  /// - Throws: ``SystemError`` if the pair cannot be created, or if a file is requested without `scratch`.
  init(_ kind: DescriptorKind, in scratch: ScratchDirectory? = nil, _ opened: OpenedDescriptors) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    switch kind {
    case .pipe:
      guard systemPipe(&ends) == 0 else { throw SystemError(errno, "open a pipe") }
    case .socket:
      guard socketpair(AF_UNIX, streamSocket, 0, &ends) == 0 else { throw SystemError(errno, "open two sockets") }
    case .file:
      guard let scratch else { throw SystemError(EINVAL, "open a file in no directory") }
      let path = scratch.file("bytes")
      for (end, flags) in [(1, O_WRONLY | O_CREAT | O_TRUNC), (0, O_RDONLY)] {
        ends[end] = open(path, flags, 0o600)
        guard ends[end] < 0 else { continue }
        let error = SystemError(errno, "open a file in \(ScratchDirectory.parent)")
        if ends[1] >= 0 { close(ends[1]) }
        throw error
      }
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      opened.include(end)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  private init(reader: Int32, writer: Int32) { (self.reader, self.writer) = (reader, writer) }

  /// Creates a TCP connection of this machine to itself, and adds its two ends to `opened`. Both descriptors are in
  /// blocking mode.
  ///
  /// - Throws: ``SystemError`` if a socket cannot be created or the connection cannot be accepted; ``Unavailable`` if
  ///   the machine cannot connect to itself.
  static func connected(_ opened: OpenedDescriptors) throws -> DescriptorPair {
    let (listener, writer) = (socket(AF_INET, streamSocket, 0), socket(AF_INET, streamSocket, 0))
    let error = SystemError(errno, "open two TCP sockets")
    defer { if listener >= 0 { close(listener) } }
    if writer >= 0 { opened.include(writer) }
    guard listener >= 0, writer >= 0 else { throw error }
    _ = fcntl(writer, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, address, &size) == 0
          && connect(writer, address, size) == 0
      }
    }
    guard isConnected else {
      throw Unavailable("a local TCP connection is needed: \(SystemError(errno, "connect two sockets"))")
    }
    let reader = accept(listener, nil, nil)
    guard reader >= 0 else { throw SystemError(errno, "open two TCP sockets") }
    _ = fcntl(reader, F_SETFD, FD_CLOEXEC)
    opened.include(reader)
    return DescriptorPair(reader: reader, writer: writer)
  }
}

/// Returns `count` pseudorandom bytes. Equal seeds produce equal bytes. All bytes are below 128, unlike
/// ``strangeByte``.
func payload(_ count: Int, seed: UInt64) -> [UInt8] {
  var generator = SplitMix64(seed: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    let word = generator.next() & 0x7F7F_7F7F_7F7F_7F7F
    withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
  }
  bytes.removeLast(bytes.count - count)
  return bytes
}

/// The byte value that fills the unrelated file of a trial.
let strangeByte: UInt8 = 0xFF

/// Returns the number of bytes that differ from the byte at the same position in `expected`. Bytes after the end of
/// `expected` count as different.
func differing(_ bytes: UnsafeRawBufferPointer, from expected: ArraySlice<UInt8>) -> Int {
  expected.withUnsafeBytes { expected in
    let common = min(bytes.count, expected.count)
    let isEqual =
      common == 0 || bytes.baseAddress.flatMap { left in expected.baseAddress.map { memcmp(left, $0, common) } } == 0
    return (isEqual ? 0 : (0..<common).count { bytes[$0] != expected[$0] }) + bytes.count - common
  }
}

/// Writes `bytes` to a blocking descriptor, and returns once all bytes are written or a write fails.
func writeBlocking(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
  bytes.withUnsafeBytes { bytes in
    var offset = 0
    while offset < bytes.count {
      let count = write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
      if count > 0 { offset += count } else if errno != EINTR { return }
    }
  }
}

/// Makes the process ignore SIGPIPE from now on, so that a write without a reader fails instead of ending the process.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

#if canImport(Darwin)
  private let streamSocket = SOCK_STREAM
#else
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#endif

// This function calls the system's `pipe`, which the enumeration case `pipe` hides.
private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
