#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The facts about the other end of a stream.
public enum Terminal {
  /// Whether `descriptor` is a terminal.
  public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Returns the number of columns of the terminal at `descriptor`; nil if it is not a terminal or does not report
  /// them.
  public static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns whether a stream accepts more text within some time, instead of waiting for its reader. A closed stream
  /// counts as ready, since writing to it fails at once.
  public static func hasRoom(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wanted, 1, milliseconds) != 0
  }

  /// Opens the standard streams that the lab was started without. Otherwise the next file that is opened would get the
  /// number of such a stream, and receive what the lab prints. Using the stream still fails, as it should.
  public static func occupyStandardStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
      // The lowest free number is that of the stream. It is opened for the wrong direction, so that using it fails.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns an environment variable; nil if it is not set.
  public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension Terminal {
  /// Whether the characters of the locale are UTF-8, by the variables that `setlocale` reads, in its order.
  public static var isUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    // Containers and CI usually set no locale, and their logs are UTF-8.
    guard let locale else { return true }
    return locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
  }
}
