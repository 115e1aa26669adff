import Foundation
import Measurement
import Testing

struct StatesTests {
  @Test func `figures in two clusters have two states, each with a median and a count`() throws {
    let states = try #require(States([0.63, 1.5, 1.48, 0.66, 1.52, 1.49, 1.51, 1.47, 1.5, 1.55]))
    #expect(states.border == 1.47)
    #expect(states.lower.count == 2 && abs(states.lower.median - 0.645) < 1e-9)
    #expect(states.upper.count == 8 && states.upper.median == 1.5)
  }

  @Test func `a tenth of the figures can be a state if the gap is wide`() throws {
    func figures(_ low: Int, of count: Int) -> [Double] {
      (0..<count).map { ($0 < low ? 4 : 60) * (1 + 0.02 * Double($0 % 7)) }
    }
    #expect(try #require(States(figures(4, of: 33))).lower.count == 4)
    // Fewer figures are outliers.
    #expect(States(figures(3, of: 33)) == nil)
  }

  @Test(arguments: [
    // The cases: one odd round, a wide cluster, a gap that is too narrow, too few figures, figures of 0.
    [1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 9],
    [1, 1.3, 1.7, 2.2, 2.9, 5, 5.1, 5.2, 5.3, 5.4],
    [1, 1.01, 1.02, 1.03, 1.04, 1.4, 1.41, 1.42, 1.43, 1.44],
    [1, 1, 1, 1, 5, 5, 5, 5, 5],
    [0, 0, 0, 0, 0, 5, 5, 5, 5, 5],
  ])
  func `figures without two clusters have one state`(_ values: [Double]) {
    #expect(States(values) == nil)
  }

  @Test func `some of many figures may be between the two states`() throws {
    func spread(_ count: Int, from least: Double, to most: Double) -> [Double] {
      (0..<count).map { least * exp(log(most / least) * Double($0) / Double(count - 1)) }
    }
    let clusters = spread(60, from: 4, to: 6) + spread(50, from: 8.5, to: 10)
    let states = try #require(States(clusters + [6.5, 7, 7.5, 8]))
    #expect((4.5...5.5).contains(states.lower.median) && (8.8...9.6).contains(states.upper.median), "\(states)")
    #expect((60...64).contains(states.lower.count) && states.upper.count == 114 - states.lower.count, "\(states)")
    // A cluster with a long tail has one state, although a split explains most of the variance.
    #expect(States(spread(127, from: 8.3, to: 8.5) + spread(39, from: 9.1, to: 17.2)) == nil)
    #expect(States(spread(127, from: 8.3, to: 8.5) + spread(39, from: 14, to: 15)) != nil)
    // Figures that are spread evenly have one state, and so have clusters that are too near each other.
    #expect(States(spread(114, from: 4, to: 10)) == nil)
    #expect(States(spread(60, from: 4, to: 4.5) + spread(50, from: 5, to: 5.5)) == nil)
  }

  /// Noise with one state, of any width, is hardly ever mistaken for two states.
  @Test(arguments: [0.02, 0.1, 0.3, 0.6, 1]) func `noise is rarely mistaken for two states`(_ deviation: Double) {
    var random = SplitMix64(seed: 7)
    func normal() -> Double {
      let (u, v) = (Double.random(in: 0x1p-53...1, using: &random), Double.random(in: 0..<1, using: &random))
      return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    }
    for count in [10, 30, 40, 180] {
      let split = (0..<2000).count { _ in States((0..<count).map { _ in exp(deviation * normal()) }) != nil }
      #expect(split <= 10, "\(count) figures: \(split) of 2000")
    }
  }
}
