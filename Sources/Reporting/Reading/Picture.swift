import Laboratory

/// The one picture that a report begins with, chosen by what the document holds.
enum Picture: Sendable {
  /// Outcomes, where they are what the scenario is about.
  case outcomes(OutcomeBars)
  /// Two parameters and more are swept.
  case heat(HeatMap)
  /// One parameter is swept, over three numbers and more.
  case curve(SweepCurve)
  /// Everything else: a row a run.
  case dots(DotPlot)

  /// Nil where there is nothing to draw.
  init?(_ tables: Tables, _ outcomes: Outcomes, _ sweeps: [SweepCurve]) {
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
  /// The settings as numbers; none where one is a word.
  var numbers: [Double] {
    let numbers = settings.compactMap { if case .integer(let number) = $0 { Double(number) } else { nil } }
    return numbers.count == settings.count ? numbers : []
  }

  /// Whether something lies between one setting and the next.
  var isOfNumbers: Bool { !numbers.isEmpty }
}
