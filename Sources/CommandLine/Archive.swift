import Laboratory
import Platform
import Reporting

/// An archive of the last two runs of each scenario, in the user's cache directory. The commands `documents`,
/// `explain`, `report` and `diff` read the archive, as does the comparison of a run with the previous run.
///
/// The directory is the value of `GCDLAB_CACHE`, or `gcdlab` in the system's directory for caches if the variable is
/// not set. If the variable is empty, there is no archive. `NAME.json` contains the last full run of a scenario, and
/// `NAME.before.json` the previous full run. Runs of different kinds are not compared with each other: runs with
/// `--quick` are in `NAME.quick.json` and `NAME.quick.before.json`, and runs of `compare` are in `NAME.compare.json`,
/// `NAME.compare.quick.json` and their `.before` files. The latest run with other settings than the last run, unless it
/// is the previous run, is in an `.older` file. `NAME.verdicts.json` contains only the verdicts of the latest
/// run of `scenario`. The verdicts of a quick run do not replace those of a full run on the same machine by the same
/// version of the lab. A command reads this file in less time than a full document.
struct Archive {
  /// The path of the archive's directory.
  let directory: String

  /// The archive of the user; nil if `GCDLAB_CACHE` is empty, or if the environment defines no directory for the
  /// archive.
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

  /// The kind of a run in the archive. The figures of runs of different kinds are not comparable, so a run is compared
  /// only with a run of the same kind.
  private enum Kind: String, CaseIterable {
    case full = ""
    case quick = ".quick"
    case comparison = ".compare"
    case quickComparison = ".compare.quick"

    init(_ document: ResultDocument) {
      self =
        document.isComparison
        ? document.isQuick ? .quickComparison : .comparison : document.isQuick ? .quick : .full
    }
    var before: String { rawValue + ".before" }
    var older: String { rawValue + ".older" }
  }

  private func path(_ scenario: String, _ ending: String) -> String { "\(directory)/\(scenario)\(ending).json" }

  // MARK: Reading

  /// Returns the last run that has the same scenario and the same kind as `document`; nil if the archive has no such
  /// run, or if the run cannot be read.
  func last(like document: ResultDocument) -> ResultDocument? {
    (try? read(document.scenarioName, Kind(document).rawValue)) ?? nil
  }

  /// The names of the runs in the archive, the latest first: `race.scenario`, `race.quick.before` or `race.compare`.
  var runs: [String] {
    let names = (namesInDirectory(directory) ?? []).filter { $0.hasSuffix(".json") && !$0.hasSuffix(".verdicts.json") }
    let times = names.compactMap { name in
      timeOfLastChange("\(directory)/\(name)").map { (name: String(name.dropLast(".json".count)), time: $0) }
    }
    return times.sorted { ($1.time, $0.name) < ($0.time, $1.name) }.map { name, _ in
      name.contains(".") ? name : name + Self.full
    }
  }

  /// The ending of the name of a scenario's last full run, whose file has no ending.
  private static let full = ".scenario"

  /// Returns the run with a name of ``runs``; nil if the archive has no such run.
  ///
  /// - Throws: ``InputError`` if the file of the run cannot be read.
  func run(named name: String) throws(InputError) -> ResultDocument? {
    let scenario = name.prefix { $0 != "." }
    let given = String(name.dropFirst(scenario.count))
    // The bare name of a scenario is not that of a single run.
    guard !given.isEmpty else { return nil }
    let ending = given == Self.full ? "" : given
    guard Kind.allCases.contains(where: { [$0.rawValue, $0.before, $0.older].contains(ending) }) else { return nil }
    return try read(String(scenario), ending)
  }

  /// Returns the latest run of a scenario, of any kind; nil if the archive has no run of the scenario.
  ///
  /// - Throws: ``InputError`` if a file of the scenario cannot be read.
  func latest(of name: String) throws(InputError) -> ResultDocument? {
    var latest: ResultDocument?
    for kind in Kind.allCases {
      if let run = try read(name, kind.rawValue), run.isLater(than: latest) { latest = run }
    }
    return latest
  }

  /// Returns the last run of each scenario and the previous run with the same settings, for the scenarios that have two
  /// such runs. `leftOut` contains a message with the reason for each scenario whose runs cannot be compared.
  ///
  /// - Parameter wanted: the names of the scenarios; all scenarios if the array is empty.
  func pairs(of wanted: [String] = []) -> (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) {
    var pairs: (old: [ResultDocument], new: [ResultDocument], leftOut: [String]) = ([], [], [])
    for name in names where wanted.isEmpty || wanted.contains(name) {
      do throws(InputError) {
        guard let pair = try pair(of: name) else { continue }
        pairs.old.append(pair.old)
        pairs.new.append(pair.new)
        if let reason = pair.otherwise { pairs.leftOut.append("the latest run of \(name) is not compared: \(reason)") }
      } catch { pairs.leftOut.append("\(name) is not compared: \(error)") }
    }
    return pairs
  }

  /// Returns the latest two runs of a scenario that have the same kind and can be compared; nil if there are no two
  /// runs of the same kind. `otherwise` is the reason why a later run is not one of them.
  ///
  /// - Throws: ``InputError`` if no two runs of the same kind can be compared, or if a file cannot be read.
  private func pair(
    of name: String
  ) throws(InputError) -> (old: ResultDocument, new: ResultDocument, otherwise: String?)? {
    var found: (old: ResultDocument, new: ResultDocument)?
    var single: [ResultDocument] = []
    var refused: [(run: ResultDocument, reason: String)] = []
    for kind in Kind.allCases {
      guard let now = try read(name, kind.rawValue) else { continue }
      single.append(now)
      guard let before = try read(name, kind.before) else { continue }
      let hasTrials = now.trials > 0 && before.trials > 0
      if let reason = hasTrials ? before.difference(from: now) : "one of its last two runs has no trials" {
        refused.append((now, reason))
        continue
      }
      if now.isLater(than: found?.new) { found = (before, now) }
    }
    let others = single.count > 1 ? single[0].difference(from: single[1]) : nil
    guard let found else {
      if let reason = refused.first?.reason ?? others { throw InputError(reason) }
      return nil
    }
    return (found.old, found.new, refused.first { $0.run.isLater(than: found.new) }?.reason)
  }

  /// Returns the last run of each scenario whose last run was on `machine`. The documents contain only verdicts. A
  /// document that cannot be read is omitted.
  func verdicts(on machine: Machine) -> [ResultDocument] {
    names.compactMap { try? read($0, ".verdicts") }.filter { $0.isOf(machine) }
  }

  /// The names of the scenarios in the archive. The name of a scenario contains no dot.
  private var names: [String] {
    Set((namesInDirectory(directory) ?? []).filter { $0.hasSuffix(".json") }.map { String($0.prefix { $0 != "." }) })
      .sorted()
  }

  /// Returns the document in an entry of a scenario; nil if the entry does not exist. Only regular files are read,
  /// since the lab creates no other files. A read of a pipe would block, and a link may lead to any file.
  ///
  /// - Throws: ``InputError`` if the file is not a regular file, cannot be read, or is not a run of the scenario, for
  ///   instance because it is truncated.
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

  /// Stores a run as the last run of its scenario. The latest kept run with the settings of `document` becomes the
  /// previous run, or the former last run if there is none. The latest run with other settings is kept as well. A run
  /// without trials, and a comparison without any figure, are not stored.
  ///
  /// Each entry is replaced atomically. A reader finds either the old entry or the new entry.
  ///
  /// - Throws: ``SystemError`` if an entry cannot be written.
  func keep(_ document: ResultDocument) throws {
    guard document.trials > 0, !document.isComparison || document.hasFigures else {
      return
    }
    try makeDirectories(directory, mode: 0o700)
    let (name, kind) = (document.scenarioName, Kind(document))
    let kept = [kind.rawValue, kind.before, kind.older].compactMap { ending in (try? read(name, ending)) ?? nil }
    let other = kept.filter { $0.difference(from: document) != nil }
    let like = kept.first { $0.difference(from: document) == nil }
    // Runs with other settings must not displace each other.
    if let older = like == nil ? other.dropFirst().first : other.first {
      try write(try JSONReport.render([older]), to: path(name, kind.older))
    }
    if let before = like ?? other.first { try write(try JSONReport.render([before]), to: path(name, kind.before)) }
    try write(try JSONReport.render([document]), to: path(name, kind.rawValue))
    guard !document.isComparison, !(document.isQuick && hasFullVerdicts(like: document)) else { return }
    try write(try JSONReport.render([document.verdictsAlone]), to: path(name, ".verdicts"))
  }

  /// Returns whether the archive has the verdicts of a full run on this machine, by this version of the lab, of the
  /// scenario of `document`.
  private func hasFullVerdicts(like document: ResultDocument) -> Bool {
    guard let last = try? read(document.scenarioName, ".verdicts") else { return false }
    return !last.isQuick && last.isOfThisVersion && last.isOf(.unmeasured())
  }

  private func write(_ text: String, to path: String) throws(SystemError) {
    try OutputFile(path, followingLinks: false).write(text)
  }
}
