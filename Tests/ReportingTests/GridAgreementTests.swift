import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests that the first sentence of an answer agrees with the table, for random figures of a grid.
@Suite struct GridAgreementTests {
  private static let works = [10: "10 ns", 100: "100 ns", 1000: "1 us"]
  private static let strides = [1, 4, 16]

  /// Returns a comparison in which some runs are noisy, some are alike, and some have no figure.
  private static func content(_ seed: UInt64) throws -> ReportContent {
    var generator = SplitMix64(seed: seed)
    let noise = [0.001, 0.03, 0.3][Int(seed % 3)]
    let means: [Double] = [1000, 1030, 1200, 2000, 9000]
    var figures: [[Int]: [Double]] = [:]
    for work in works.keys.sorted() {
      for stride in strides where Int.random(in: 0..<8, using: &generator) > 0 {
        let mean = means[Int.random(in: means.indices, using: &generator)]
        figures[[work, stride]] = (0..<9).map { _ -> Double in
          mean * (1 + Double.random(in: -noise...noise, using: &generator))
        }
      }
    }
    return try Fixture.compared([("work", works.keys.sorted()), ("stride", strides)], rounds: 9) {
      (variant: String, round: Int, values: [String: Int]) -> Double? in
      guard variant == "apply", let work = values["work"], let stride = values["stride"] else { return nil }
      return figures[[work, stride]].map { $0[round] }
    }.content
  }

  /// Returns the strides that a part of a sentence names: `stride 1 or 4`, `any tried stride from 1 to 16`.
  private static func strides(in text: Substring) -> [Int] {
    let numbers = text.matches(of: /\d+/).compactMap { Int($0.output) }
    return text.contains(" to ") ? strides.filter { ($0 >= numbers[0]) && ($0 <= numbers[numbers.count - 1]) } : numbers
  }

  @Test(arguments: 0..<90 as Range<UInt64>)
  func `the first sentence of a grid calls only those settings the best that are as good as the best in the table`(
    _ seed: UInt64
  ) throws {
    let content = try Self.content(seed)
    let first = try #require(content.conclusions.first)
    let table = try #require(content.tables.first { $0.isGrid })
    func cell(_ work: String, _ stride: Int) throws -> String {
      let row = try #require(table.rows.first { $0.cells.contains { $0.text == work } })
      let place = try #require(Self.strides.firstIndex(of: stride))
      return row.cells[row.cells.count - Self.strides.count + place].text
    }
    func isMeasured(_ work: String, _ stride: Int) throws -> Bool { try cell(work, stride).contains(/[0-9]/) }
    func check(_ strides: [Int], at works: [String]) throws {
      #expect(!strides.isEmpty && !works.isEmpty, "\(first)")
      for (work, stride) in works.flatMap({ work in strides.map { (work, $0) } }) {
        // A run that is certainly worse by at most 10 % is as good as the best.
        let text = try cell(work, stride)
        #expect(text.contains(/[●?≈]|^1\.(0\d|10)x/), "\(work), \(stride): \(first)\n\(table)")
      }
    }
    let all = Array(Self.works.values)
    let measured = try all.filter { work in try Self.strides.contains { try isMeasured(work, $0) } }
    if let match = first.firstMatch(of: /^(?:Use )?(.*?)(?::| is| are) .*at all (measured )?values of work/) {
      #expect((match.2 != nil) == (measured.count < all.count), "\(first)")
      try check(Self.strides(in: match.1), at: measured)
    } else if !first.contains("its means are nowhere"), let list = first.firstMatch(of: /^Fastest: ([^.]*)/) {
      for part in list.1.split(separator: "; ") {
        guard let match = part.wholeMatch(of: /(.*) at work (.*)/) else { continue }
        try check(Self.strides(in: match.1), at: all.filter { match.2.contains($0) })
      }
    }
    // The choice for all groups has a figure everywhere, and no ratio above the stated one.
    if let match = first.firstMatch(of: /stride (\d+)(?:: its means)?(?: are)? nowhere more than ([\d.]+)x/),
      let stride = Int(match.1), let most = Double(match.2)
    {
      for work in measured {
        let ratio = try cell(work, stride).firstMatch(of: /^([\d.]+)x/).flatMap { Double($0.1) } ?? 1
        #expect(try isMeasured(work, stride) && ratio <= most + 0.05, "\(work): \(first)\n\(table)")
      }
    }
  }
}
