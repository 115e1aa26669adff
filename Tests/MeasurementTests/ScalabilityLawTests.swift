import Measurement
import RealModule
import Testing

@Suite struct ScalabilityLawTests {
  /// Twelve numbers of cores, up to 64.
  private static let cores = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]

  private static func throughput(_ n: Int, _ sigma: Double, _ kappa: Double) -> Double {
    let n = Double(n)
    return 1e6 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))
  }

  /// Returns points that are geometric means of 10 rounds, with normal noise of a standard deviation of 3 % in each.
  private static func noisy(_ sigma: Double, _ kappa: Double, seed: UInt64) -> [ScalabilityLaw.Point] {
    var generator = SplitMix64(seed: seed)
    func normal() -> Double {
      let (u, v) = (
        Double.random(in: Double.leastNonzeroMagnitude..<1, using: &generator),
        Double.random(in: 0..<1, using: &generator)
      )
      return (-2 * Double.log(u)).squareRoot() * Double.cos(2 * .pi * v)
    }
    return cores.map { n in
      let rounds = (0..<10).map { _ in throughput(n, sigma, kappa) * (1 + 0.03 * normal()) }
      return .init(cores: n, throughput: Ranking.typical(rounds) ?? 0)
    }
  }

  @Test(arguments: [(0.05, 0.001), (0.1, 0.002), (0.02, 0.001)], [1, 2, 3, 4, 5] as [UInt64])
  func `the fit recovers known contention and coherence under 3 % noise`(_ known: (Double, Double), seed: UInt64) throws
  {
    let (sigma, kappa) = known
    let law = try #require(ScalabilityLaw(fitting: Self.noisy(sigma, kappa, seed: seed)))
    #expect(abs(law.sigma / sigma - 1) < 0.1, "\(law)")
    #expect(abs(law.kappa / kappa - 1) < 0.1, "\(law)")
    #expect(law.fits)
    let peak = ((1 - sigma) / kappa).squareRoot()
    #expect(abs((law.peak ?? 0) / peak - 1) < 0.1, "\(law)")
  }

  @Test func `the fit to a curve without coherence finds no coherence, and no useful limit on the cores`() throws {
    let law = try #require(
      ScalabilityLaw(fitting: Self.cores.map { .init(cores: $0, throughput: Self.throughput($0, 0.1, 0)) }))
    #expect(abs(law.sigma - 0.1) < 1e-9 && law.kappa < 1e-9)
    #expect(law.worst.error < 1e-9)
    let ideal = try #require(
      ScalabilityLaw(fitting: [1, 2, 3, 4].map { .init(cores: $0, throughput: Double($0) * 5) }))
    #expect(ideal.sigma < 1e-9 && ideal.kappa < 1e-9 && abs(ideal.lambda - 5) < 1e-9 && ideal.fits)
    #expect(ideal.most.map { $0 > 1000 } ?? true)
  }

  @Test func `a curve of another shape does not fit the law`() throws {
    // The throughput is higher on every other number of cores.
    let saw = (1...8).map { ScalabilityLaw.Point(cores: $0, throughput: $0.isMultiple(of: 2) ? 2 : 1) }
    #expect(try #require(ScalabilityLaw(fitting: saw)).fits == false)
    // The throughput is better than ideal, because the caches of all cores are used.
    let superlinear = (1...6).map { ScalabilityLaw.Point(cores: $0, throughput: Double($0 * $0)) }
    #expect(try #require(ScalabilityLaw(fitting: superlinear)).fits == false)
  }

  @Test func `a law requires four different numbers of cores and a throughput above 0`() {
    func law(_ cores: [Int]) -> ScalabilityLaw? {
      ScalabilityLaw(fitting: cores.map { .init(cores: $0, throughput: 1) })
    }
    #expect(law([1, 2, 4]) == nil && law([1, 2, 2, 4]) == nil && law([]) == nil)
    #expect(law([1, 2, 4, 8]) != nil)
    #expect(ScalabilityLaw(fitting: (1...4).map { .init(cores: $0, throughput: 0) }) == nil)
  }
}
