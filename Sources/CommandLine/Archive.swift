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
/// The directory is `GCDLAB_CACHE` (there is no archive if the variable is empty), else `gcdlab` in the system's place
/// for caches. A scenario has up to five files: `NAME.json` is the last full run and `NAME.before.json` the one before
/// it. A full run is not compared with a `--quick` one, which has `NAME.quick.json` and `NAME.quick.before.json`.
/// `NAME.verdicts.json` has only the verdicts of the latest run of either kind, and is read in less time.
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

  /// The kind of a kept run. A run is compared only with a run of its kind, since the figures of quick and full runs
  /// are not comparable.
  private enum Kind: String, CaseIterable {
    case full = ""
    case quick = ".quick"

    init(_ document: ResultDocument) { self = document.isQuick ? .quick : .full }
    var before: String { rawValue + ".before" }
  }

  private func path(_ scenario: String, _ ending: String) -> String { "\(directory)/\(scenario)\(ending).json" }

  // MARK: Reading

  /// Returns the last run that had the same settings as `document`; nil if there is none that can be read.
  func last(like document: ResultDocument) -> ResultDocument? {
    (try? read(document.scenarioName, Kind(document).rawValue)) ?? nil
  }

  /// Returns the last run of each scenario and the run before it with the same settings, for the scenarios that have
  /// both. `leftOut` has a message with the reason for each scenario whose runs cannot be compared.
  ///
  /// - Parameter wanted: the scenarios to return; all if it is empty.
  func pairs(of wanted: [String] = []) -> (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) {
    var pairs: (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) = ([], [], [])
    for name in names where wanted.isEmpty || wanted.contains(name) {
      do throws(InputError) {
        guard let pair = try pair(of: name) else { continue }
        pairs.old.append(pair.old)
        pairs.new.append(pair.new)
      } catch { pairs.leftOut.append("\(name) is not compared: \(error)") }
    }
    return pairs
  }

  /// Returns the later of a scenario's two pairs, the pair of full runs and the pair of quick runs; nil if there is
  /// neither.
  private func pair(of name: String) throws(InputError) -> (old: ResultDocument, new: ResultDocument)? {
    var found: (old: ResultDocument, new: ResultDocument)?
    var single: [ResultDocument] = []
    for kind in Kind.allCases {
      guard let now = try read(name, kind.rawValue) else { continue }
      single.append(now)
      guard let before = try read(name, kind.before) else { continue }
      guard now.trials > 0, before.trials > 0 else { throw InputError("one of its last two runs has no trials") }
      if let reason = before.unlikeness(to: now) { throw InputError(reason) }
      if now.isLater(than: found?.new) { found = (before, now) }
    }
    if found == nil, single.count > 1, let reason = single[0].unlikeness(to: single[1]) { throw InputError(reason) }
    return found
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

  /// Returns the content of an entry; nil if there is none. An entry that is not a regular file was not created by the
  /// lab and is not read: a pipe would block, and a link may lead anywhere.
  ///
  /// - Throws: ``InputError`` if the file cannot be read or is not a run of the scenario, for instance because it is
  ///   truncated.
  private func read(_ scenario: String, _ ending: String) throws(InputError) -> ResultDocument? {
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

  /// Keeps a run as the last run of its scenario, and the previous last run as the run before it. A run without trials
  /// is not kept.
  ///
  /// Each entry is replaced in one step: a reader finds either the old entry or the new entry.
  ///
  /// - Throws: ``SystemError`` if an entry cannot be written.
  func keep(_ document: ResultDocument) throws {
    guard document.trials > 0 else { return }
    try makeDirectories(directory)
    let (name, kind) = (document.scenarioName, Kind(document))
    if let last = last(like: document), last.unlikeness(to: document) == nil || !hasBefore(like: document) {
      try write(try JSONReport.render([last]), to: path(name, kind.before))
    }
    try write(try JSONReport.render([document]), to: path(name, kind.rawValue))
    try write(try JSONReport.render([document.verdictsAlone]), to: path(name, ".verdicts"))
  }

  /// Returns whether there is a run before the last one that had the same settings as `document`.
  private func hasBefore(like document: ResultDocument) -> Bool {
    guard let before = try? read(document.scenarioName, Kind(document).before) else { return false }
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
