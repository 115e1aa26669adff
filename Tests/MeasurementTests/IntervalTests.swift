import Foundation
import RealModule
import Testing

@testable import Measurement

/// The distributions of a round's noise, in the logarithm of a figure.
private enum Noise: String, CaseIterable, Sendable {
  case normal, lognormal, exponential, t3, contaminated, uniform, drifting
  /// A round is either fast or slow, with hardly any other noise. Only tests of tables use this distribution, since the
  /// many comparisons in a table reach far into the tails.
  case twofold

  /// Returns the figures of two sides in some rounds, with a true ratio of 1.
  func pairs(_ rounds: Int, _ generator: inout SplitMix64) -> [(left: Double, right: Double)] {
    var drift = 0.0
    return (0..<rounds).map { _ in
      // The component that both sides share grows steadily, and in jumps.
      if self == .drifting { drift += 0.05 + 0.1 * generator.normal() }
      return (Double.exp(drift + value(&generator)), Double.exp(drift + value(&generator)))
    }
  }

  func value(_ generator: inout SplitMix64) -> Double {
    switch self {
    case .normal, .drifting: 0.02 * generator.normal()
    case .lognormal: Double.log(1 + 0.05 * Double.exp(generator.normal()))
    case .exponential: Double.log(-Double.log(generator.unit()))
    case .t3:
      0.02 * generator.normal() / ((0..<3).reduce(0) { sum, _ in sum + square(generator.normal()) } / 3).squareRoot()
    case .contaminated: (generator.unit() < 0.1 ? 0.2 : 0.02) * generator.normal()
    case .uniform: 0.02 * generator.unit()
    case .twofold: (generator.unit() < 0.5 ? 0 : 0.3) + 0.005 * generator.normal()
    }
  }

  private func square(_ value: Double) -> Double { value * value }
}

extension SplitMix64 {
  /// Returns a uniform random number above 0 and up to 1.
  mutating func unit() -> Double { (Double(next() >> 11) + 1) / 9_007_199_254_740_992 }
  /// Returns a normal random number (Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958).
  mutating func normal() -> Double {
    (-2 * Double.log(unit())).squareRoot() * Double.cos(2 * Double.pi * unit())
  }
}

@Suite struct IntervalTests {
  /// The number of comparisons in a simulation. `make intervals` sets many and prints its counts.
  private static let asked = ProcessInfo.processInfo.environment["GCDLAB_INTERVALS"].flatMap { Int($0) }
  private static let comparisons = asked ?? 2000

  private static func report(_ line: String) { if asked != nil { print(line) } }

  /// The quantiles are from the tables in textbooks, and from an independent implementation beyond these (SciPy's
  /// `t.isf`).
  @Test(
    arguments: [
      (1, 0.01, 63.6567), (2, 0.01, 9.9248), (4, 0.05, 2.7764), (5, 0.01, 4.0321), (5, 0.001, 6.8688),
      (9, 0.01, 3.2498), (9, 0.002, 4.2968), (10, 0.05, 2.2281), (29, 0.01, 2.7564), (30, 0.001, 3.6460),
      (120, 0.01, 2.6174), (10_000, 0.01, 2.5763), (1, 0.5, 1), (2.5, 0.05, 3.5747), (9, 0.01 / 1225, 9.0495),
    ] as [(Double, Double, Double)])
  func `quantiles agree with published tables`(_ freedom: Double, _ share: Double, _ quantile: Double) {
    let found = Student.quantile(tails: share, freedom: freedom)
    #expect(abs(found / quantile - 1) < 2e-5, "\(found)")
    #expect(abs(Student.tails(beyond: found, freedom: freedom) / share - 1) < 1e-9)
  }

  /// The share of errors is at most 1.2 times the stated share, plus the statistical error of this number of
  /// comparisons.
  @Test(arguments: Noise.allCases.filter { $0 != .twofold })
  fileprivate func `the interval of equal sides excludes a ratio of 1 as rarely as stated`(_ noise: Noise) throws {
    var tallies: [String] = []
    for rounds in [6, 8, 10, 15, 20, 30] {
      var generator = SplitMix64(seed: UInt64(rounds))
      let told = try (0..<Self.comparisons).count { _ in
        let interval = try #require(ConfidenceInterval.ofRatio(noise.pairs(rounds, &generator)))
        return interval.low > 1 || interval.high < 1
      }
      let most = 0.012 * Double(Self.comparisons)
      #expect(Double(told) <= most + 2 * most.squareRoot(), "\(told) at \(rounds) rounds")
      tallies.append("\(rounds): \(Self.share(told)) %")
    }
    Self.report("equal sides told apart, \(noise): " + tallies.joined(separator: ", "))
  }

  /// Successive rounds are correlated by 0.4, as they were on a shared virtual machine. If the rounds counted as
  /// independent, 8 to 10 % of these intervals would be wrong.
  @Test(arguments: [100, 150, 250])
  func `the interval of many correlated rounds is rarely wrong`(_ rounds: Int) throws {
    var generator = SplitMix64(seed: UInt64(rounds))
    let wrong = try (0..<Self.comparisons).count { _ in
      var deviation = 0.0
      let values = (0..<rounds).map { _ in
        deviation = 0.4 * deviation + generator.normal()
        return deviation
      }
      let interval = try #require(ConfidenceInterval.ofMean(values))
      return interval.low > 0 || interval.high < 0
    }
    #expect(wrong <= Self.comparisons / 33, "\(wrong) of \(Self.comparisons)")
    Self.report("correlated rounds, \(rounds): \(Self.share(wrong)) % wrong")
  }

  @Test func `the batches of many values include each value once`() throws {
    for count in [6, 31, 32, 33, 47, 63, 250, 10_000] {
      // One value in the set differs, so the mean of the interval is wrong if a value is missing.
      let values = (0..<count).map { $0 == count - 1 ? 1.0 : 0 }
      let interval = try #require(ConfidenceInterval.ofMean(values))
      #expect(abs(interval.estimate * Double(count) - 1) < 1e-9)
      #expect(interval.low < 0 && interval.high > interval.estimate)
    }
  }

  /// The share refers to whole tables, since the best cell was chosen among all cells of its group.
  @Test(arguments: [Noise.normal, .exponential, .t3, .uniform, .twofold])
  fileprivate func `identical cells rarely differ significantly from the best cell`(_ noise: Noise) {
    var tallies: [String] = []
    for (groups, cells, rounds) in [
      (1, 2, 6), (1, 5, 6), (1, 10, 6), (1, 20, 6), (1, 50, 6), (1, 3, 10), (1, 10, 10), (1, 50, 10), (1, 10, 30),
      (1, 50, 30), (10, 2, 6), (4, 3, 6), (4, 6, 10), (4, 6, 30),
    ] {
      var generator = SplitMix64(seed: UInt64(groups * cells))
      let count = max(100, Self.comparisons / (groups * cells))
      let comparisons = groups * ConfidenceInterval.comparisonsWithBest(of: cells)
      let told = (0..<count).count { _ in
        (0..<groups).count { _ in Self.tellsFromBest(cells, rounds, noise, among: comparisons, &generator) } > 0
      }
      let most = 0.012 * Double(count)
      #expect(
        Double(told) <= most + 2 * most.squareRoot(),
        "\(told) of \(count) tables of \(groups.counted("group")) of \(cells) cells, \(rounds) rounds")
      tallies.append("\(groups) x \(cells) cells, \(rounds) rounds: \(told) of \(count)")
    }
    Self.report("tables with a cell told from the best, \(noise): " + tallies.joined(separator: "; "))
  }

  private static func tellsFromBest(
    _ cells: Int, _ rounds: Int, _ noise: Noise, among comparisons: Int, _ generator: inout SplitMix64
  ) -> Bool {
    let figures = (0..<cells).map { _ in (0..<rounds).map { _ in Double.exp(noise.value(&generator)) } }
    let best = Ranking.lower.best(figures.indices) { Ranking.typical(figures[$0]) } ?? 0
    let pairs = figures.indices.filter { $0 != best }.map { cell in
      zip(figures[cell], figures[best]).map { (left: $0, right: $1) }
    }
    let spread = ConfidenceInterval.leastSpread(ofRatios: pairs)
    return pairs.contains { pairs in
      ConfidenceInterval.ofRatio(pairs, among: comparisons, spread: spread).map { $0.low > 1 || $0.high < 1 } == true
    }
  }

  @Test func `an erratic cell does not widen the interval of the only other cell`() throws {
    let steady = (0..<6).map { (left: 900 + Double($0), right: 180.0) }
    let erratic = (0..<6).map { (left: $0.isMultiple(of: 2) ? 300.0 : 30_000, right: 180.0) }
    let spread = ConfidenceInterval.leastSpread(ofRatios: [steady, erratic])
    let interval = try #require(ConfidenceInterval.ofRatio(steady, among: 3, spread: spread))
    #expect(interval.low > 4.9 && interval.high < 5.1, "\(interval)")
  }

  @Test func `the interval of the mean difference of identical cells rarely excludes 0`() throws {
    var generator = SplitMix64(seed: 7)
    let told = try (0..<Self.comparisons).count { _ in
      let values = Noise.exponential.pairs(6, &generator).map { $0.left - $0.right }
      let interval = try #require(ConfidenceInterval.ofMean(values))
      return interval.low > 0 || interval.high < 0
    }
    #expect(Double(told) <= 0.02 * Double(Self.comparisons))
  }

  @Test(arguments: [2, 5, 10, 20])
  func `ten rounds usually suffice to detect a difference of 5 % under 1 % noise among many cells`(_ cells: Int)
    throws
  {
    var generator = SplitMix64(seed: 43)
    let comparisons = ConfidenceInterval.comparisonsWithBest(of: cells)
    let count = Self.comparisons / 10
    let found = try (0..<count).count { _ in
      let pairs = (0..<10).map { _ in
        (left: 1.05 * Double.exp(0.01 * generator.normal()), right: Double.exp(0.01 * generator.normal()))
      }
      return try #require(ConfidenceInterval.ofRatio(pairs, among: comparisons)).low > 1
    }
    #expect(found >= count * 9 / 10)
    Self.report("5 % under 1 % noise, 10 rounds, found among \(cells) cells: \(found) of \(count)")
  }

  @Test func `an interval widens with the number of comparisons, and a given spread is its minimum`() throws {
    let values = [1.0, 2, 3, 4, 5, 6]
    let alone = try #require(ConfidenceInterval.ofMean(values))
    // By hand: 3.5 and 4.0321 times 1.8708 over the root of 6.
    #expect(alone.estimate == 3.5 && abs(alone.high - 6.5796) < 1e-4 && abs(alone.low - 0.4204) < 1e-4)
    #expect(try #require(ConfidenceInterval.ofMean(values, among: 10)).high > alone.high)
    let steady = try #require(ConfidenceInterval.ofMean(Array(repeating: 2, count: 6), spread: 1))
    #expect(abs(steady.high - 2 - 4.0321 / 6.0.squareRoot()) < 1e-4)
    #expect(ConfidenceInterval.ofMean(Array(repeating: 0, count: 6)).map { $0.low == 0 && $0.high == 0 } == true)
  }

  @Test func `the interval of extreme ratios has positive and finite bounds`() throws {
    let wild = (0..<6).map { (left: $0.isMultiple(of: 2) ? 1e-30 : 1e30, right: 1.0) }
    let interval = try #require(ConfidenceInterval.ofRatio(wild, among: 1000))
    #expect(interval.low > 0 && interval.high < 1e36)
  }

  @Test func `there is no interval for too few values, a ratio of 0 or an infinite value`() {
    #expect(ConfidenceInterval.ofRatio(Array(repeating: (1, 2), count: 5)) == nil)
    #expect(ConfidenceInterval.ofRatio(Array(repeating: (0, 1), count: 10)) == nil)
    #expect(ConfidenceInterval.ofMean([1, 2, 3, 4, 5, .infinity]) == nil)
  }

  private static func share(_ told: Int) -> String {
    "\((10_000 * Double(told) / Double(comparisons)).rounded() / 100)"
  }
}

@Suite struct ReachTests {
  @Test func `an interval that includes 1 is noise if it reaches beyond the limit, for any estimate`() {
    #expect(!ConfidenceInterval(estimate: 1, low: 0.92, high: 1.09).isNoise)
    #expect(ConfidenceInterval(estimate: 1, low: 0.9, high: 1.09).isNoise)
    #expect(ConfidenceInterval(estimate: 1.15, low: 0.95, high: 1.4).isNoise)
    #expect(ConfidenceInterval(estimate: 0.85, low: 0.7, high: 1.03).isNoise)
    #expect(!ConfidenceInterval(estimate: 1.5, low: 1.1, high: 2).isNoise)
  }

  @Test func `an interval twice as wide as needed requires four times as many rounds`() throws {
    // From 32 rounds on, the number of batches is the same, and Student's quantile is, too.
    func rounds(_ estimate: Double, by factor: Double, after rounds: Int = 32) -> Double? {
      ConfidenceInterval(estimate: estimate, low: estimate / factor, high: estimate * factor)
        .roundsToRank(after: rounds, among: 100)
    }
    // An interval of a few rounds becomes narrow faster than that.
    #expect(try #require(rounds(1, by: 1.1 * 1.1 * 1.1 * 1.1, after: 7)) < 6)
    #expect(abs(try #require(rounds(1, by: 1.1 * 1.1)) - 4) < 1e-9)
    // The interval excludes no change as soon as it is half as wide.
    #expect(abs(try #require(rounds(1.5, by: 1.5 * 1.5)) - 4) < 1e-9)
    // Sides that are exactly alike within the limit are never distinguished.
    #expect(rounds(1, by: 1.05) == nil)
    // The sides may be more alike than they seem.
    let apart = ConfidenceInterval(estimate: 1.05, low: 1.05 / 1.21, high: 1.05 * 1.21)
    #expect(abs(apart.fewestRoundsToRank(after: 32, among: 100) - 4) < 1e-9)
    #expect(try #require(apart.roundsToRank(after: 32, among: 100)) > 12)
  }
}
