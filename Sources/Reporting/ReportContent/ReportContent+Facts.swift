import Laboratory
import Measurement

/// The circumstances of a run: its settings, the machine, the tool and the command.
extension ReportContent {
  /// The settings that all runs share, as text: `iterations 1,000,000, work 15 ns`.
  var settings: String { document.sharedSettings.joined(separator: ", ") }

  /// Returns a note for the space below a table, with as many shared settings as fit, but at least one: `at hold 1 us,
  /// entries 2,000`. Returns nil if there are no shared settings, or if the run is a comparison, since the answer of a
  /// comparison contains the settings.
  func settingsNote(fits: (String) -> Bool) -> String? {
    guard !isComparison else { return nil }
    let all = document.sharedSettings
    let notes = all.indices.reversed().map { last in
      let rest = all.count - last - 1
      return "at \(all[...last].joined(separator: ", "))" + (rest == 0 ? "" : " and \(rest) more: see --details")
    }
    return notes.first(where: fits) ?? notes.last
  }

  /// The settings that the command line changed, as text: `settings changed by --set: iterations 5,003`. The text is
  /// empty if no setting was changed.
  var changedSettingsLine: String {
    let changed = document.changedSettings
    let flags = ["--quick", "--set", "--cores"].filter(document.hasOption).joined(separator: " and ")
    let by = flags.isEmpty ? "" : " by \(flags)"
    return changed.isEmpty ? "" : "settings changed\(by): " + changed.joined(separator: ", ")
  }

  /// The facts about the machine and the run, as text.
  var facts: [String] {
    let (machine, floor) = (document.machine, Quantity(document.machine.floor, .nanoseconds))
    let own = ownFloors.isEmpty ? [] : ["empty timing loop \(ownFloors.joined(separator: ", "))"]
    return processor + ["\(machine.os) \(machine.kernel)"] + run + precision + [
      "seed \(document.seed)", "noise floor \(floor)",
    ]
      + own
  }

  /// The facts about the processor, the cores and the run, as text. A comparison omits the seed, since only a reader
  /// who repeats the comparison needs it. A run that the lab kept has a start time.
  var briefFacts: [String] {
    processor + run + precision + (isComparison ? [] : ["seed \(document.seed)"])
      + (isKept ? ["\(document.startedMinute) UTC"] : [])
  }

  /// The note that a comparison ended before its ratios reached the requested precision, if there is one.
  private var precision: [String] { document.warnings.filter { $0.kind == RunNote.precision }.map(\.says) }

  private var processor: [String] {
    [document.machine.cpu, document.machine.coresText].compactMap(\.self)
  }

  private var run: [String] {
    let wasTried = document.runs.contains { $0.rounds > $0.outcomes.count(where: \.hasNoResult) }
    guard wasTried else {
      let areStopped = document.runs.contains { $0.outcomes[.stopped] > 0 }
      return [areStopped ? "no trial was completed in \(Self.time(document))" : "no trial was run"]
    }
    // In a comparison, a run that is far worse than the best run has few rounds.
    let least = document.runs.map(\.rounds).filter { $0 >= ConfidenceInterval.fewest }.min() ?? rounds
    let counted = isComparison && least < rounds ? "\(least) to \(rounds) rounds" : rounds.counted("round")
    return ["\(counted) in \(Self.time(document))"]
  }

  /// Returns the duration of a run as text, such as `1.20 s`. The text is `less than 1 ms` if the duration is below the
  /// precision of a result document.
  static func time(_ document: ResultDocument) -> String {
    document.seconds < 0.001 ? "less than 1 ms" : Quantity(document.seconds * 1e9, .nanoseconds).description
  }

  /// The versions of the tool, of Swift and of Dispatch, and the start time of the run, as text. The version of
  /// Dispatch is omitted if the trials used the Dispatch of the Swift toolchain.
  var origin: [String] {
    ["\(document.tool.name) \(document.tool.version)", "Swift \(document.machine.swift)", dispatch, document.started]
      .compactMap(\.self)
  }

  /// The Dispatch library that the trials used in place of the Swift toolchain's library, as text; nil if there was
  /// none.
  private var dispatch: String? { document.machine.dispatch.map { "Dispatch \($0)" } }

  /// The command line, quoted for a shell; nil if the run was not started from a command line.
  var command: String? { document.commandLine }
}

extension ResultDocument {
  /// The settings that all runs share, as text. The settings of parameters that every variant ignores are omitted.
  var sharedSettings: [String] { texts(of: scenario.parameters.filter { $0.ignored != true }) }

  /// The settings that the command line changed, as text.
  var changedSettings: [String] { texts(of: scenario.parameters.filter { $0.changed == true }) }

  /// The settings that `--quick` changed: those of ``changedSettings`` that no other option sets.
  var quickSettings: [String] {
    guard isQuick else { return [] }
    let set = Set(values(ofOption: "--set").map { $0.prefix { $0 != "=" } })
    let other = scenario.parameters.filter { parameter in
      parameter.changed == true && parameter.name != Cores.name && !set.contains(parameter.name[...])
    }
    return texts(of: other)
  }

  private func texts(of parameters: [ParameterFacts]) -> [String] {
    parameters.compactMap { parameter in parameter.value.map { "\(parameter.name) \(parameter.describe($0))" } }
  }
}

extension Machine {
  /// The number of cores as text: `2 cores`, or `1 of 2 cores` if the trials were confined to some of the cores.
  var coresText: String {
    (confinedTo.map { $0.count < cores ? "\($0.count) of " : "" } ?? "") + "\(cores.counted("core"))"
  }
}
