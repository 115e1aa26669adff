import Laboratory

/// The picture at the beginning of a report. The content of the document determines the kind of picture.
enum Picture: Sendable {
  /// A chart of the outcomes, for a scenario that is a race or a hazard.
  case outcomes(OutcomeBars)
  /// A heat map, if two or more parameters are swept.
  case heat(HeatMap)
  /// A curve, if one parameter is swept over at least three numbers.
  case curve(SweepCurve)
  /// A plot with a row for each run, in all other cases.
  case dots(DotPlot)

  /// Creates the picture of a document; nil if there is nothing to draw.
  init?(_ tables: ReportTables, _ outcomes: OutcomeShares, _ sweeps: [SweepCurve]) {
    if let bars = outcomes.bars(headline: tables.shown.first) {
      self = .outcomes(bars)
    } else if let map = HeatMap(tables) {
      self = .heat(map)
    } else if let sweep = sweeps.first, sweep.isOfNumbers, sweep.hasShape {
      self = .curve(sweep)
    } else if let plot = DotPlot(tables) {
      self = .dots(plot)
    } else {
      return nil
    }
  }
}

extension SweepCurve {
  /// The settings as numbers; empty if any setting is not a number.
  var numbers: [Double] {
    let numbers = settings.compactMap { if case .integer(let number) = $0 { Double(number) } else { nil } }
    return numbers.count == settings.count ? numbers : []
  }

  /// Whether there are at least three settings. The table of two settings shows as much as a curve.
  var hasShape: Bool { settings.count > 2 }

  /// Whether all settings are numbers. If so, a line between the points has a meaning.
  var isOfNumbers: Bool { !numbers.isEmpty }

  /// Whether the settings are numbers at equal distances: the smallest is 0, which a logarithmic axis cannot show, and
  /// on a linear axis the other settings would be too close to each other.
  var isRanked: Bool {
    guard numbers.min() == 0, let least = numbers.filter({ $0 > 0 }).min(), let most = numbers.max() else {
      return false
    }
    return most > Self.leastLogSpan * least
  }

  /// A note on the axis of the settings, for the title of a plot; empty if the distances have a meaning.
  var distances: String { isRanked ? ", \(parameter.name) at equal distances" : "" }

  /// The factor between two numbers above which a plot separates the numbers between them by a logarithmic axis.
  static let leastLogSpan = 4.0

  /// The position of each setting on an axis: its number, or its rank at equal distances.
  var places: [Double] {
    guard isOfNumbers, !isRanked else { return (isOfNumbers ? ranks : Array(settings.indices)).map(Double.init) }
    return numbers
  }

  private var ranks: [Int] { numbers.map { number in Set(numbers.filter { $0 < number }).count } }
}
