import Laboratory
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The last two runs of each scenario, kept in the user's cache directory: for `documents`, for `diff` without
/// arguments, and for the line that compares a run with the one before.
///
/// In `GCDLAB_CACHE` (nowhere where that is empty), else in `gcdlab` where the system keeps caches. Of a scenario there
/// are `NAME.json`, the last run, `NAME.before.json`, the one before it (the last that was asked the same, where there
/// is one), and `NAME.verdicts.json`, the verdicts of the last one, which are soon read.
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
  func last(_ scenario: String) -> ResultDocument? { try? read(scenario) }

  /// The last run of each scenario and the one before it, of those that have both, and what is left out for which
  /// reason.
  ///
  /// - Parameter wanted: only these scenarios; all where it is empty.
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

  /// The verdicts of each scenario's last run on this machine, without figures.
  func verdicts(on machine: Machine) -> [ResultDocument] {
    names.compactMap { try? read($0, ".verdicts") }.filter { $0.isOf(machine) }
  }

  private static let end = ".verdicts.json"

  private var names: [String] {
    (namesInDirectory(directory) ?? []).filter { $0.hasSuffix(Self.end) }.map { String($0.dropLast(Self.end.count)) }
      .sorted()
  }

  /// What an entry has; nil where there is none. Anything but a regular file was put there by somebody else: a pipe
  /// would be waited for, and a link may lead anywhere.
  ///
  /// - Throws: ``InputError`` for what is no run of the scenario, as one that was cut off.
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

  /// Keeps a run as the last one of its scenario, and the last one so far as the one before. One that has no trials
  /// says nothing, and is not kept.
  ///
  /// Each entry is replaced at once: whoever reads meanwhile finds the old one or the new one.
  ///
  /// - Throws: ``SystemError`` where it cannot be written.
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

  /// Whether there is a run before the last one that was asked the same as `document`.
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
