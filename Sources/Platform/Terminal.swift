/// Properties of terminals, standard streams and the environment.
public enum Terminal {
  /// Returns whether `descriptor` refers to a terminal.
  public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Returns the number of columns of the terminal at `descriptor`; nil if the descriptor is not a terminal, or if the
  /// terminal does not report its width.
  public static func columns(_ descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Waits up to `milliseconds` until a write to a stream would not block. Returns whether the stream is ready. A
  /// closed stream counts as ready, since a write to the stream fails at once.
  public static func hasRoom(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wanted, 1, milliseconds) != 0
  }

  /// Opens the standard streams that were closed when the lab was started. Otherwise the next opened file would have
  /// the number of such a stream and receive the lab's output. Reads and writes on the streams still fail.
  public static func occupyStandardStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
      // The lowest free number is the number of the stream. The stream is opened for the wrong direction, so that reads
      // or writes on the stream fail.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns the value of an environment variable; nil if the variable is not set.
  public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension Terminal {
  /// Whether the locale's character encoding is UTF-8, according to the first of `LC_ALL`, `LC_CTYPE` and `LANG` that
  /// is set; true if none of these variables is set.
  public static var isUnicode: Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    // Containers and CI usually set no locale, and their logs are UTF-8.
    guard let locale else { return true }
    return locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
  }
}
