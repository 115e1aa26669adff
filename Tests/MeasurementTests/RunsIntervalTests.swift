import Foundation
import RealModule
import Testing

@testable import Measurement

/// Tests that a change is distinguished from a difference between runs, although the rounds of a run are correlated.
@Suite struct RunsIntervalTests {
  /// The counts of a gate's results with a limit of 10 %, for figures that are judged together.
  private struct Tally {
    var worse = 0
    var fine = 0

    /// Makes `count` comparisons with `runs` runs of `rounds` rounds on each side. The last of 4 figures is multiplied
    /// by `change`.
    init(_ count: Int, runs: Int, rounds: Int = 6, deviation: Double, noise: Double, change: Double, seed: UInt64) {
      var generator = SplitMix64(seed: seed)
      for _ in 0..<count {
        // Half of a run's deviation is common to all its figures.
        let sides = (0..<2).map { _ in
          (0..<runs).map { _ in deviation * 0.5.squareRoot() * generator.normal() }
        }
        let intervals = (0..<4).compactMap { figure in
          let measured = zip(sides, [1, figure == 3 ? change : 1]).map { side, factor in
            side.map { shared in
              let own = shared + deviation * 0.5.squareRoot() * generator.normal()
              return (0..<rounds).map { _ in factor * Double.exp(own + noise * generator.normal()) }
            }
          }
          return ConfidenceInterval.ofRatio(measured[1], to: measured[0], among: 4)
        }
        if intervals.contains(where: { $0.low > 1 && $0.estimate > 1.1 }) {
          worse += 1
        } else if intervals.allSatisfy({ $0.high <= 1.1 }) {
          fine += 1
        }
      }
    }
  }

  private static let asked = ProcessInfo.processInfo.environment["GCDLAB_INTERVALS"].flatMap { Int($0) }
  private static let comparisons = max(200, (asked ?? 0) / 10)

  private static func report(_ line: String) { if asked != nil { print(line) } }

  /// Machines from quiet to busy, each with the spread between runs and the spread between the rounds of a run.
  private static let machines = [(0.02, 0.02), (0.04, 0.02), (0.07, 0.06), (0.11, 0.2), (0.3, 0.5)]

  @Test(arguments: [1, 2, 3, 5], machines)
  func `at most 1 in 40 comparisons of equal sides fails`(_ runs: Int, _ machine: (deviation: Double, noise: Double)) {
    let count = Self.comparisons
    let tally = Tally(count, runs: runs, deviation: machine.deviation, noise: machine.noise, change: 1, seed: 5)
    Self.report(
      "equals, \(runs) runs a side, deviation \(machine.deviation), rounds \(machine.noise): of \(count) \(tally)")
    #expect(tally.worse <= count / 40, "\(tally)")
    // One run on each side never passes: its deviation may hide the change.
    if runs == 1 { #expect(tally.fine == 0, "\(tally)") }
  }

  @Test func `the number of runs that show a change grows with the noise, and is unknown above a limit`() {
    func runs(_ noise: Double, most: Int = 50) -> Int? {
      var generator = SplitMix64(seed: 3)
      let sides = (0..<2).map { _ in
        (0..<3).map { _ in
          let run = noise * generator.normal()
          return (0..<6).map { _ in Double.exp(run + noise * generator.normal()) }
        }
      }
      return ConfidenceInterval.runs(toShow: 1.15, sides[0], sides[1], most: most)
    }
    let (quiet, busy) = (runs(0.02), runs(0.15))
    #expect(quiet == 3 && (busy ?? 0) > 6, "\(String(describing: busy))")
    #expect(runs(0.15, most: 4) == nil && runs(0) == 3)
    #expect(ConfidenceInterval.runs(toShow: 1.15, [[1, 2]], [[1]], most: 20) == nil)
  }

  @Test(arguments: [(3, 0.02), (5, 0.03)] as [(Int, Double)])
  func `a slowdown of 15 percent is detected in nine of ten comparisons`(_ runs: Int, _ deviation: Double) {
    let count = Self.comparisons
    let tally = Tally(count, runs: runs, deviation: deviation, noise: 0.02, change: 1.15, seed: 6)
    Self.report("15 % slower, \(runs) runs a side, deviation \(deviation), rounds 0.02: of \(count) \(tally)")
    #expect(tally.worse >= count * 9 / 10, "\(tally)")
  }

  /// The rounds vary far more than the runs, as when other programs use the cores for a part of each round.
  @Test func `runs that agree detect a change although their rounds vary widely`() {
    let count = Self.comparisons
    func tally(deviation: Double, change: Double) -> Tally {
      Tally(count, runs: 3, rounds: 36, deviation: deviation, noise: 0.2, change: change, seed: 8)
    }
    let slower = tally(deviation: 0.01, change: 1.3)
    Self.report("30 % slower, 3 runs a side of 36 rounds, deviation 0.01, rounds 0.2: of \(count) \(slower)")
    #expect(slower.worse >= count * 9 / 10, "\(slower)")
    // Few runs agree by chance.
    for deviation in [0.01, 0.05, 0.11, 0.2] {
      let equal = tally(deviation: deviation, change: 1)
      Self.report("equals, 3 runs a side of 36 rounds, deviation \(deviation), rounds 0.2: of \(count) \(equal)")
      #expect(equal.worse <= count / 40, "\(deviation): \(equal)")
    }
  }

  @Test func `five steady runs on each side usually suffice to pass a gate`() {
    let tally = Tally(200, runs: 5, deviation: 0.01, noise: 0.01, change: 1, seed: 7)
    #expect(tally.fine >= 190, "\(tally)")
  }

  @Test func `an interval requires enough rounds on both sides, and only figures above 0`() throws {
    let six = [1.0, 1, 1, 1, 1, 1]
    #expect(ConfidenceInterval.ofRatio([[1, 1, 1]], to: [six]) == nil)
    #expect(ConfidenceInterval.ofRatio([[1, 1, 1], [1, 1, 1]], to: [six]) != nil)
    #expect(ConfidenceInterval.ofRatio([[0] + six], to: [six]) == nil)
    #expect(ConfidenceInterval.ofRatio([], to: [six]) == nil)
    // By hand: a deviation between runs of 5 %, known as if by 5 runs, so that t has 4 degrees of freedom: 2.7764 times
    // 0.05 times the root of 2.
    let one = try #require(ConfidenceInterval.ofRatio([six.map { 2 * $0 }], to: [six]))
    #expect(abs(one.estimate - 2) < 1e-12 && abs(Double.log(one.high / 2) - 0.19632) < 1e-4)
  }
}
