import Laboratory
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The last two runs of each scenario, kept in the user's cache directory: for `documents`, for `diff` without arguments, and for
/// the line that compares a run with the one before.
///
/// In `GCDLAB_CACHE` (nowhere where that is empty), else in `gcdlab` where the system keeps caches. Of a scenario there are `NAME.json`, the last run,
/// `NAME.before.json`, the one before it, and `NAME.verdicts.json`, the last one without its figures, which is soon read.
struct Archive {
  /// Where it is.
  let directory: String

  /// The user's; nil where the environment names no place for it.
  static var ofUser: Archive? {
    func variable(_ name: String) -> String? { Terminal.environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let given = Terminal.environment("GCDLAB_CACHE") { return given.isEmpty ? nil : Archive(directory: given) }
    #if os(macOS)
      return variable("HOME").map { Archive(directory: $0 + "/Library/Caches/gcdlab") }
    #else
      return (variable("XDG_CACHE_HOME") ?? variable("HOME").map { $0 + "/.cache" })
        .map { Archive(directory: $0 + "/gcdlab") }
    #endif
  }

  private func path(_ scenario: String, _ ending: String = "") -> String { "\(directory)/\(scenario)\(ending).json" }

  // MARK: Reading

  /// The last run of a scenario; nil where there is none that can be read.
  func last(_ scenario: String) -> ResultDocument? { read(path(scenario)) }

  /// The last run of each scenario and the one before it, of those that have both.
  func pairs() -> (old: [ResultDocument], new: [ResultDocument]) {
    let both = names.compactMap { name in
      read(path(name, ".before")).flatMap { old in last(name).map { (old, $0) } }
    }
    return (both.map(\.0), both.map(\.1))
  }

  /// The verdicts of each scenario's last run on this machine, without figures.
  func verdicts(on machine: Machine) -> [ResultDocument] {
    names.compactMap { read(path($0, ".verdicts")) }.filter { $0.isOf(machine) }
  }

  private static let end = ".verdicts.json"

  private var names: [String] {
    (namesInDirectory(directory) ?? []).filter { $0.hasSuffix(Self.end) }.map { String($0.dropLast(Self.end.count)) }
      .sorted()
  }

  /// What was written by another version, or cut off, is no run that there was.
  private func read(_ path: String) -> ResultDocument? { (try? ResultDocument.read(path))?.first }

  // MARK: Keeping

  /// Keeps a run as the last one of its scenario, and the last one so far as the one before.
  ///
  /// - Throws: ``SystemError`` where it cannot be written.
  func keep(_ document: ResultDocument) throws {
    try makeDirectories(directory)
    let name = document.scenarioName
    if rename(path(name), path(name, ".before")) != 0, errno != ENOENT {
      throw SystemError(errno, "write \(path(name, ".before"))")
    }
    try OutputFile(path(name)).write(try JSONReport.render([document]))
    try OutputFile(path(name, ".verdicts")).write(try JSONReport.render([document.withoutFigures]))
  }

  private func makeDirectories(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    let code = errno
    guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError(code, "make \(path)")
    }
    try makeDirectories(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(errno, "make \(path)") }
  }
}
