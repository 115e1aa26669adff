import Measurement

/// What the trials themselves say about how far to trust them. Nothing is left out of any figure for it.
extension Results {
  /// One line a thing to know, the gravest first.
  func cautions(within budget: Budget) -> [String] {
    failures + shortage(budget) + unsteadiness
  }

  /// What cut the run short.
  var shortening: [String] {
    let reason: String
    switch cut {
    case nil: return []
    case .interrupted: reason = "interrupted"
    case .failed(let error): reason = error.description
    }
    return ["\(reason): what was finished until then is shown"]
  }

  /// One line a reason: a sweep has many points that fail alike.
  private var failures: [String] {
    let failures = runs.flatMap { run in
      Set(run.trials.map(\.outcome)).sorted { $0.name < $1.name }.compactMap { outcome in
        outcome.reason.map { (reason: $0, label: run.label) }
      }
    }
    return failures.grouped(by: \.reason).map { "\(Self.list($0.elements.map(\.label), upTo: 8)): \($0.key)" }
  }

  private func shortage(_ budget: Budget) -> [String] {
    let rounds = runs.map(\.trials.count).max() ?? 0
    guard let time = budget.time, cut == nil, rounds < budget.rounds, rounds < ConfidenceInterval.fewest else {
      return []
    }
    let needed = Quantity(seconds / Double(max(rounds, 1)) * Double(ConfidenceInterval.fewest + 1) * 1e9, .nanoseconds)
    return [
      "only \(rounds) round\(rounds == 1 ? "" : "s") fitted into \(Quantity(time)), intervals need "
        + "\(ConfidenceInterval.fewest): --time of \(needed) or more"
    ]
  }

  private var unsteadiness: [String] {
    guard let headline = experiment.headline else { return [] }
    let steadiness = Steadiness(
      runs.compactMap { run in
        let figures = run.trials.compactMap { trial in trial.figure(headline).map { (round: trial.round, value: $0) } }
        return figures.count >= Steadiness.fewest ? Steadiness.Series(label: run.label, figures: figures) : nil
      })
    var lines: [String] = []
    if !steadiness.unsettled.isEmpty {
      lines.append(
        "\(headline.name) varies by more than half from round to round in "
          + "\(Self.list(steadiness.unsettled, upTo: 3)): read its medians as a range")
    }
    if !steadiness.outliers.isEmpty {
      let count = steadiness.outliers.reduce(0) { $0 + $1.count }
      let most = steadiness.outliers.sorted { $0.count > $1.count }.map(\.label)
      lines.append(
        "\(count) of \(runs.map(\.trials.count).reduce(0, +)) trials are outliers of \(headline.name) (modified z-score "
          + "above 3.5), most of them in \(Self.list(most, upTo: 3)); they are kept in every figure")
    }
    if let drift = steadiness.drift {
      let way = drift > 1 ? "grew" : "shrank"
      lines.append(
        "\(headline.name) \(way) by \(Quantity.number((abs(drift - 1) * 1000).rounded() / 10)) % from the first third of "
          + "the rounds to the last: the machine drifted; ratios are of paired rounds and hardly touched by it")
    }
    return lines
  }

  private static func list(_ labels: [String], upTo most: Int) -> String {
    labels.prefix(most).joined(separator: ", ") + (labels.count > most ? " and \(labels.count - most) more" : "")
  }
}

extension Sequence {
  /// The elements by a key, keys in the order in which they first come.
  public func grouped<Key: Equatable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    reduce(into: []) { groups, element in
      let key = key(element)
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].elements.append(element)
      } else {
        groups.append((key, [element]))
      }
    }
  }
}

extension Experiment {
  /// The metric that stands for the others: the first shown.
  public var headline: Metric? { show.first.flatMap(pattern.metric) }
}
