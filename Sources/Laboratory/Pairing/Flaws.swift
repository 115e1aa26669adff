import Measurement

/// The runs of a comparison that have a flaw: a count that should be 0, such as that of failed calls, is not 0. A run
/// with a flaw is not compared with other runs, since a setting that fails is often the fastest.
public struct Flaws: Sendable {
  /// The runs with a flaw.
  public let flawed: Set<Int>
  /// The runs without a flaw of which another amount of work has a run with the same variant and settings and with a
  /// flaw. A program that uses these settings may meet the flaw, so such a run is not the best.
  public let flawedElsewhere: Set<Int>

  /// What a program chooses: a variant, and the settings that are no amounts of work.
  private struct Choice: Hashable {
    let variant: String
    let settings: [String: ParameterValue]
  }

  /// Finds the runs with a flaw.
  ///
  /// - Parameters:
  ///   - entries: the runs.
  ///   - areZero: for each run, whether its count is 0 in all rounds; nil if nothing was counted.
  ///   - amounts: the names of the swept parameters that are amounts of work. A setting that a program chooses, or a
  ///     condition, may be the reason for a flaw.
  public init(of entries: [Comparison.Entry], areZero: [Bool?], amounts: Set<String>) {
    let flawed = Set(entries.indices.filter { areZero[$0] == false })
    self.flawed = flawed
    func choice(_ run: Int) -> Choice {
      Choice(variant: entries[run].variant, settings: entries[run].point.filter { !amounts.contains($0.key) })
    }
    let unsafe = Set(flawed.map(choice))
    flawedElsewhere = Set(entries.indices.filter { !flawed.contains($0) && unsafe.contains(choice($0)) })
  }

  /// Returns the runs as they are compared: without figures if they have a flaw, and never as the best if they have one
  /// at another amount of work.
  public func excluded(from entries: [Comparison.Entry]) -> [Comparison.Entry] {
    entries.indices.map { run in
      var entry = entries[run]
      if flawed.contains(run) { entry.figures = [] }
      if flawedElsewhere.contains(run) { entry.mayBeBest = false }
      return entry
    }
  }
}
