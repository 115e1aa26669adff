import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The recorder as a file in memory that another program can preload. The file exists as long as this object.
public final class RecorderFile: Sendable {
  private let descriptor: Int32

  /// The path of the file.
  public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Creates the file.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory, or if this system cannot preload libraries.
  public init() throws(SystemError) {
    #if !canImport(Darwin)
      var bytes: [UInt8] = []
      RecorderLibrary.text.withUTF8Buffer { digits in
        func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
          bytes.append(value(digits[index]) << 4 | value(digits[index + 1]))
        }
      }
      descriptor = gcdlab_sealed_file(bytes, bytes.count)
      guard descriptor >= 0 else { throw SystemError(errno, "keep the recorder in memory") }
    #else
      throw SystemError(ENOSYS, "preload the recorder")
    #endif
  }

  deinit { close(descriptor) }
}
