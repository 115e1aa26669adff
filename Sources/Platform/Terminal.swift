#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is at the other end of a stream.
public enum Terminal {
  /// Whether `descriptor` is a terminal.
  public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The columns of the terminal at `descriptor`; nil when it is none or does not tell.
  public static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether a stream takes more text within some time, rather than to wait for who reads it. One that is closed does:
  /// it tells an error at once.
  public static func hasRoom(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wanted, 1, milliseconds) != 0
  }

  /// Fills the places of standard streams that the lab was started without. Else the next file to be opened would get
  /// the number of one, and what is printed. Using such a stream fails, as it should.
  public static func occupyStandardStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
      // The lowest free number is this one. The other way round, so that no byte passes.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// An environment variable; nil when it is not set.
  public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension Terminal {
  /// Whether the locale's characters are UTF-8, by the variables that `setlocale` looks at, in its order.
  public static var isUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    // No locale at all is the rule in containers and CI, whose logs are UTF-8.
    guard let locale else { return true }
    return locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
  }
}
