import Measurement

/// The runs of a comparison that have a flaw: a count that should be 0, such as that of failed calls, is not 0. A run
/// with a flaw is not compared with other runs, since a setting that fails is often the fastest.
public struct Flaws: Sendable {
  /// The runs with a flaw.
  public let flawed: Set<Int>
  /// The runs without a flaw of which another amount of work has a run with the same variant and settings and with a
  /// flaw. A program that uses these settings may meet the flaw, so such a run is not the best.
  public let flawedElsewhere: Set<Int>

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
    func isSame(_ run: Int, _ other: Int) -> Bool {
      func settings(_ run: Int) -> [String: ParameterValue] { entries[run].point.filter { !amounts.contains($0.key) } }
      return entries[run].variant == entries[other].variant && settings(run) == settings(other)
    }
    flawedElsewhere = Set(
      entries.indices.filter { run in !flawed.contains(run) && flawed.contains { isSame(run, $0) } })
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
