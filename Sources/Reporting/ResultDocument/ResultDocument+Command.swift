import Laboratory

/// The command of a run, and the facts that a list of runs shows.
extension ResultDocument {
  /// The command line, quoted for a shell; nil if the run was not started from a command line.
  public var commandLine: String? {
    guard !command.isEmpty else { return nil }
    return Self.shell([Tool.command] + command)
  }

  /// Returns whether the command line contains an option, as `--rounds 3` or `--rounds=3`.
  func hasOption(_ option: String) -> Bool { command.contains { $0 == option || $0.hasPrefix("\(option)=") } }

  /// Returns the values of an option of the command, in both notations: `--set a=1` and `--set=a=1`.
  func values(ofOption option: String) -> [String] {
    zip(command, command.dropFirst() + [""]).compactMap { word, next in
      word == option ? next : word.hasPrefix("\(option)=") ? String(word.dropFirst(option.count + 1)) : nil
    }
  }

  /// Returns the command line with another file for `--export`, quoted for a shell; nil if the run was not started from
  /// a command line.
  func commandLine(exporting file: String) -> String? {
    guard !command.isEmpty else { return nil }
    var words: [String] = []
    var isFile = false
    for word in command {
      if !isFile, word != "--export", !word.hasPrefix("--export=") { words.append(word) }
      isFile = word == "--export"
    }
    return Self.shell([Tool.command] + words + ["--export", file])
  }

  /// Returns the command of a comparison without its time, its seed and its output, and with `arguments` in place of
  /// its sweeps and variants; nil if the document has no command. A setting with one value remains unless `arguments`
  /// contains another.
  ///
  /// - Parameters:
  ///   - arguments: the sweeps, and the variants if they are not those of the command; nil for the sweeps of the
  ///     command.
  ///   - isQuick: whether the command keeps `--quick`.
  func comparing(_ arguments: String?, isQuick: Bool = true) -> String? {
    guard !command.isEmpty else { return nil }
    let replaced = arguments.map { arguments in
      Set(
        scenario.parameters.filter { ($0.swept ?? []).count > 1 }.map(\.name)
          + arguments.split(separator: " ").map { String($0.prefix { $0 != "=" }) })
    }
    let namesVariants = arguments?.contains("--variant ") == true
    let dropped =
      ["--time", "--rounds", "--seed", "--export", "--format", "--color"] + (namesVariants ? ["--variant"] : [])
    let flags = ["--quiet"] + (isQuick ? [] : ["--quick"])
    var words: [String] = []
    var rest = command[...]
    while let word = rest.popFirst() {
      let option = String(word.prefix { $0 != "=" })
      if flags.contains(word) { continue }
      if dropped.contains(option) {
        if option == word { _ = rest.popFirst() }
      } else if Self.optionsWithValue.contains(word) {
        words += [word] + (rest.popFirst().map { [$0] } ?? [])
      } else if word.hasPrefix("-") || !word.contains("=") || replaced?.contains(option) != true {
        words.append(word)
      }
    }
    return Self.shell([Tool.command] + words) + (arguments.map { " \($0)" } ?? "")
  }

  /// The options of `compare` that have a value and that its advice keeps.
  private static let optionsWithValue = [
    "--set", "--cores", "--baseline", "--metric", "--precision", "--trial-time", "--variant", "--allow-unjudged",
  ]

  /// Returns the words of a command, quoted for a shell.
  public static func shell(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_@%+=:,./-".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Whether the document has a figure of any metric.
  public var hasFigures: Bool { runs.contains { !$0.metrics.isEmpty } }

  /// The start of the run to the minute, in UTC: `2026-11-29 16:40`.
  public var startedMinute: String { started.dateAndMinute }
}
