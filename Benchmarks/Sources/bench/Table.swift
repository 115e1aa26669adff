#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The unit of a figure.
enum Unit {
  case nanoseconds, bytes, perSecond, count

  /// Returns a value with a unit of a suitable size.
  func text(_ value: Double) -> String {
    switch self {
    case .nanoseconds where value >= 1e6: "\(fixed(value / 1e6, 2)) ms"
    case .nanoseconds where value >= 1e4: "\(fixed(value / 1e3, 1)) us"
    case .nanoseconds: "\(fixed(value, 1)) ns"
    case .bytes: "\(fixed(value / 1e6, 1)) MB"
    case .perSecond where value < 1e5: "\(fixed(value / 1e3, 1)) k/s"
    case .perSecond: "\(fixed(value / 1e6, 2)) M/s"
    case .count: fixed(value, 0)
    }
  }
}

/// Returns `value` with `decimals` decimals; `-` if the value is not finite.
func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite else { return "-" }
  let digits = String(Int((value * pow(10, Double(decimals))).rounded()))
  guard decimals > 0 else { return digits }
  let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
  return padded.dropLast(decimals) + "." + padded.suffix(decimals)
}

/// The numbers of targets that were certainly met, certainly missed, or too close to the limit for a verdict; the
/// number of rows that this machine cannot measure; and the number of other rows that were not measured.
struct Tally {
  private(set) var met = 0, missed = 0, unsure = 0, impossible = 0, unmeasured = 0

  var text: String {
    "\(met) targets met, \(missed) missed, \(unsure) too close to tell (~), \(impossible + unmeasured) rows not measured"
  }

  /// Prints a table of `rows`, and counts the results of the rows.
  mutating func show(_ rows: [Row]) {
    var lines = [["", "left", "right", "ratio", "min-max", "rounds", "target", ""]]
    var reasons: [String] = []
    for row in rows {
      do {
        let (cells, verdict) = try row.cells()
        lines.append(cells)
        guard let verdict else { continue }
        if !verdict.isSure { unsure += 1 } else if verdict.isMet { met += 1 } else { missed += 1 }
      } catch {
        if error.isOfTheMachine { impossible += 1 } else { unmeasured += 1 }
        reasons.append("\(row.title): not measured: \(error.reason)")
      }
    }
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines where lines.count > 1 {
      let cells = line.indices.map { column -> String in
        let padding = String(repeating: " ", count: widths[column] - line[column].count)
        return (1...5).contains(column) ? padding + line[column] : line[column] + padding
      }
      let text = cells.joined(separator: "  ")
      print("  " + text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }
    for reason in reasons { print("  " + reason) }
    print()
    fflush(nil)
  }
}
