import CDispatchSupport

/// A file in memory that contains the recorder as a library, which another program can preload. The file exists as long
/// as this object.
public final class RecorderFile: Sendable {
  private let descriptor: Int32

  /// The path of the file.
  public var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Creates the file in memory.
  ///
  /// - Throws: ``SystemError`` if there is not enough memory, or if this system cannot preload libraries.
  public init() throws(SystemError) {
    #if !canImport(Darwin)
      let bytes = RecorderBytes.of(RecorderLibrary.text)
      descriptor = gcdlab_sealed_file(bytes, bytes.count)
      guard descriptor >= 0 else { throw SystemError(errno, "keep the recorder in memory") }
    #else
      throw SystemError(ENOSYS, "preload the recorder")
    #endif
  }

  deinit { close(descriptor) }
}

/// The recorder as an object file that static programs are linked with.
public enum LinkedRecorder {
  #if !canImport(Darwin)
    /// The bytes of the object file.
    public static var bytes: [UInt8] { RecorderBytes.of(RecorderObject.text) }

    /// The version number of the recorder. The object file, and each program that is linked with it, contain this
    /// number in a note.
    static let number = RecorderObject.number

    /// Returns the flags with which a Swift or C compiler links a program with the object file at `path`.
    public static func flags(_ path: String) -> [String] {
      // Without --undefined, GNU's linkers take a function from an archive only if code calls the function by its own
      // name.
      let words = [path] + RecorderObject.names.flatMap { ["--wrap=\($0)", "--undefined=\($0)"] }
      return words.flatMap { ["-Xlinker", $0] }
    }
  #else
    /// An empty array, since this system has no recorder.
    public static var bytes: [UInt8] { [] }
    static let number: UInt32 = 0
    /// Returns an empty array, since this system has no recorder.
    public static func flags(_ path: String) -> [String] { [] }
  #endif
}

private enum RecorderBytes {
  /// Returns the bytes that the hexadecimal digits in `text` represent.
  static func of(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { digits in
      func value(_ digit: UInt8) -> UInt8 { digit < 58 ? digit - 48 : digit - 87 }
      return stride(from: 0, to: digits.count - 1, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }
  }
}
