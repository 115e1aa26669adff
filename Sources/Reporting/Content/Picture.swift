import Laboratory

/// The picture with which a report begins, chosen by the content of the document.
enum Picture: Sendable {
  /// The outcomes, if they are the subject of the scenario.
  case outcomes(OutcomeBars)
  /// A map, if two or more parameters are swept.
  case heat(HeatMap)
  /// A curve, if one parameter is swept over three or more numbers.
  case curve(SweepCurve)
  /// A row for each run, in all other cases.
  case dots(DotPlot)

  /// Creates the picture; nil if there is nothing to draw.
  init?(_ tables: Tables, _ outcomes: OutcomeShares, _ sweeps: [SweepCurve]) {
    if let bars = outcomes.bars(headline: tables.shown.first) {
      self = .outcomes(bars)
    } else if let map = HeatMap(tables) {
      self = .heat(map)
    } else if let sweep = sweeps.first, sweep.isOfNumbers, sweep.settings.count > 2 {
      self = .curve(sweep)
    } else if let plot = DotPlot(tables) {
      self = .dots(plot)
    } else {
      return nil
    }
  }
}

extension SweepCurve {
  /// The settings as numbers; empty if one is a word.
  var numbers: [Double] {
    let numbers = settings.compactMap { if case .integer(let number) = $0 { Double(number) } else { nil } }
    return numbers.count == settings.count ? numbers : []
  }

  /// Whether the settings are numbers, so that other values lie between them.
  var isOfNumbers: Bool { !numbers.isEmpty }
}
