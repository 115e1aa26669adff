import Laboratory
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The last two runs of each scenario, kept in the user's cache directory. `documents` and `diff` without arguments
/// read them, and so does the line that compares a run with the one before.
///
/// The directory is `GCDLAB_CACHE` (none if that is empty), else `gcdlab` in the system's place for caches. A scenario
/// has three files: `NAME.json` is the last run. `NAME.before.json` is the one before it, if possible one with the same
/// settings. `NAME.verdicts.json` has only the verdicts of the last run, and is quick to read.
struct Archive {
  /// The path of the directory.
  let directory: String

  /// The archive of the user; nil if the environment names no place for it.
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

  /// Returns the last run of a scenario; nil if there is none that can be read.
  func last(_ scenario: String) -> ResultDocument? { try? read(scenario) }

  /// Returns the last run of each scenario and the one before it, for scenarios that have both, and what is left out
  /// for which reason.
  ///
  /// - Parameter wanted: the scenarios to return; all if it is empty.
  func pairs(of wanted: [String] = []) -> (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) {
    var pairs: (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) = ([], [], [])
    for name in names where wanted.isEmpty || wanted.contains(name) {
      do throws(InputError) {
        guard let now = try read(name), let before = try read(name, ".before") else { continue }
        guard now.trials > 0, before.trials > 0 else { throw InputError("one of its last two runs has no trials") }
        if let reason = before.unlikeness(to: now) { throw InputError(reason) }
        pairs.old.append(before)
        pairs.new.append(now)
      } catch { pairs.leftOut.append("\(name) is not compared: \(error)") }
    }
    return pairs
  }

  /// Returns the verdicts of each scenario's last run on this machine, without figures.
  func verdicts(on machine: Machine) -> [ResultDocument] {
    names.compactMap { try? read($0, ".verdicts") }.filter { $0.isOf(machine) }
  }

  private static let end = ".verdicts.json"

  private var names: [String] {
    (namesInDirectory(directory) ?? []).filter { $0.hasSuffix(Self.end) }.map { String($0.dropLast(Self.end.count)) }
      .sorted()
  }

  /// Returns the content of an entry; nil if there is none. Anything but a regular file was put there by somebody else,
  /// and is not read: a pipe would block, and a link may lead anywhere.
  ///
  /// - Throws: ``InputError`` for a file that is not a run of the scenario, such as one that was cut off.
  private func read(_ scenario: String, _ ending: String = "") throws(InputError) -> ResultDocument? {
    let path = path(scenario, ending)
    let bytes: [UInt8]
    do { bytes = try readRegularFile(path, atMost: ResultDocument.largestFile) } catch {
      if error.code == ENOENT { return nil }
      throw InputError(error.description)
    }
    let document = try ResultDocument.parse(bytes, place: path).first
    guard let document, document.scenarioName == scenario else { throw InputError("not of \(scenario)", at: path) }
    return document
  }

  // MARK: Keeping

  /// Keeps a run as the last one of its scenario, and the previous last one as the one before. A run without trials is
  /// not kept.
  ///
  /// Each entry is replaced in one step: a reader finds either the old one or the new one.
  ///
  /// - Throws: ``SystemError`` if it cannot be written.
  func keep(_ document: ResultDocument) throws {
    guard document.trials > 0 else { return }
    try makeDirectories(directory)
    let name = document.scenarioName
    if let last = last(name), last.unlikeness(to: document) == nil || !hasBefore(like: document) {
      try write(try JSONReport.render([last]), to: path(name, ".before"))
    }
    try write(try JSONReport.render([document]), to: path(name))
    try write(try JSONReport.render([document.verdictsAlone]), to: path(name, ".verdicts"))
  }

  /// Returns whether there is a run before the last one that had the same settings as `document`.
  private func hasBefore(like document: ResultDocument) -> Bool {
    guard let before = try? read(document.scenarioName, ".before") else { return false }
    return before.unlikeness(to: document) == nil
  }

  private func write(_ text: String, to path: String) throws(SystemError) {
    try OutputFile(path, followingLinks: false).write(text)
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
