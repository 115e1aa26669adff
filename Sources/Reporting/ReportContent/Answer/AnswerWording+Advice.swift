import Laboratory
import Measurement

/// The words about what to measure next: a longer time for undecided groups, or the settings between two others.
extension AnswerWording {
  /// Returns advice on how to decide the undecided groups in `groups`: a longer time, or a statement that more time may
  /// not decide, with the reason. Returns nil if `groups` is empty.
  func advice(_ groups: [AnswerGroup]) -> String? {
    guard !groups.isEmpty else { return nil }
    let times = groups.map { (group: $0, seconds: secondsToDecide($0)) }
    let (decidable, open) = (times.filter { $0.seconds != nil }, times.filter { $0.seconds == nil }.map(\.group))
    guard let seconds = decidable.compactMap(\.seconds).max() else {
      return "more time may not decide: \(obstacle(to: groups))"
    }
    func places(_ groups: [AnswerGroup]) -> String { groups.map(place).listed(most: Self.mostPlaces) }
    let found = decidable.map(\.group)
    let decide = adviceToDecide(found, named: open.isEmpty ? nil : places(found), within: seconds)
    return open.isEmpty ? decide : "at this noise, \(places(open)) would probably stay undecided; \(decide)"
  }

  /// Returns the number of seconds after which all runs of this comparison probably decide a group; nil if more time
  /// may not decide it.
  ///
  /// More rounds do not decide between a better mean and more frequent wins, or between the states of a run.
  private func secondsToDecide(_ group: AnswerGroup) -> Int? {
    let undecided = undecidedContrasts(group)
    let isContradicted = group.withTooFewRounds.isEmpty && undecided.allSatisfy(\.isContradicted)
    guard alternating(group).isEmpty, !isContradicted else { return nil }
    func time(_ factors: [Double]) -> Int {
      Budget.enough(for: index.document.seconds * Self.margin * max(factors.max() ?? 1, 1))
    }
    let seconds = max(time(undecided.compactMap(\.roundsToRank)), timeToRank([group]) ?? 0)
    // The difference may be smaller or larger than it seems, and then less time decides. The noise of this run may have
    // been above average.
    let least = time(undecided.compactMap(\.fewestRoundsToRank))
    return seconds <= Self.longest ? seconds : least <= Self.longest ? Self.longest : nil
  }

  /// Returns the contrasts of the undecided runs of a group with its best run.
  private func undecidedContrasts(_ group: AnswerGroup) -> [Contrast] {
    group.undecided.compactMap { comparison.contrastsWithBest[$0] }
  }

  /// Returns the candidates of a group that alternate between two states.
  private func alternating(_ group: AnswerGroup) -> [Int] {
    ([group.best] + group.undecided).filter { states(of: $0) != nil }
  }

  /// Returns the reason why more time may not decide any of `groups`.
  private func obstacle(to groups: [AnswerGroup]) -> String {
    let runs = groups.flatMap(alternating)
    guard runs.isEmpty else {
      // Several groups can have the same variants, which are named once.
      let texts = groups.count == 1 ? [names(runs, of: groups[0].runs)] : runs.map(names.variant).distinct
      let verb = (groups.count == 1 ? runs.count : texts.count) > 1 ? "alternate" : "alternates"
      return "\(texts.listed(most: ComparisonAnswer.mostNames)) \(verb) between two states"
    }
    return groups.flatMap(undecidedContrasts).allSatisfy(\.isContradicted)
      ? "the means and most rounds disagree"
      : "at this noise, --time \(Self.longest)s may be too short; fewer settings or longer trials (--set) may decide"
  }

  /// Returns the command that probably decides `groups`: a comparison of their candidates alone, if these are fewer
  /// runs, and otherwise this comparison again, for a longer time.
  ///
  /// - Parameters:
  ///   - name: words for what is decided, such as the settings of `groups` if other groups remain undecided; otherwise
  ///     nil.
  ///   - seconds: the time that all runs of this comparison would need.
  private func adviceToDecide(_ groups: [AnswerGroup], named name: String?, within seconds: Int) -> String {
    let purpose = "to decide\(name.map { " \($0)" } ?? "")"
    let (alone, share) = argumentsForCandidates(groups).map { ($0.arguments, $0.share) } ?? (nil, 1)
    // A part of the runs needs a part of the time, and time for the start.
    func time(_ share: Double) -> String {
      "--time \(max(Self.shortest, 10 * Int((share * Double(seconds) / 10).rounded(.up))))s"
    }
    guard let command = index.document.comparing(alone) else {
      return "\(purpose), \(alone.map { "compare these alone (\($0) \(time(share))), or " } ?? "")"
        + "give it more time (\(time(1)))"
    }
    // With --time, the goal would be that of a full run.
    let goal =
      index.document.isQuick && !index.document.hasOption("--precision")
      ? " --precision \(Quantity.number(100 * Budget.quickComparisonPrecision))%" : ""
    return "\(purpose), try `\(command) \(time(share))\(goal)`"
  }

  /// The shortest time that the advice suggests, in seconds.
  private static let shortest = 10

  /// Returns words about how to get enough rounds for a ranking of `groups`: `: --time 70s should give them`; an empty
  /// string if nothing is known about the time of a round.
  func moreRounds(_ groups: [AnswerGroup]) -> String {
    if index.document.hasOption("--rounds") { return " (--rounds \(ConfidenceInterval.fewest))" }
    let smaller = index.document.isQuick ? "" : ", or --quick, whose trials are smaller"
    return timeToRank(groups).map { ": --time \($0)s should give them\(smaller)" } ?? ""
  }

  /// Returns the number of seconds in which runs with too few rounds probably complete enough rounds; nil if `groups`
  /// contain no such runs, or if such a run has no round.
  private func timeToRank(_ groups: [AnswerGroup]) -> Int? {
    let rounds = groups.flatMap { group in
      group.withTooFewRounds.map { comparison.contrastsWithBest[$0]?.rounds.count ?? 0 }
    }
    guard let fewest = rounds.min(), fewest > 0 else { return nil }
    return Budget.enough(for: index.document.seconds * Double(ConfidenceInterval.fewest) / Double(fewest))
  }

  /// Returns command-line arguments that restrict the comparison to the candidates for the best run of each group, and
  /// the share of the runs that remain. An example of such arguments is `threads=2,4 --variant apply`. Returns nil if
  /// the arguments would exclude no run, or if there are too many candidates for a sentence.
  private func argumentsForCandidates(_ groups: [AnswerGroup]) -> (arguments: String, share: Double)? {
    let candidates = groups.flatMap(\.candidates)
    let named = Set(candidates.map(names.variant))
    let variants = index.document.scenario.variants.map(\.name).filter(named.contains)
    let values = names.parameters.map { parameter in
      (parameter, inOrder(candidates.compactMap { names.point($0)[parameter.name] }, of: parameter))
    }
    let places = groups.flatMap(settings).grouped(by: \.parameter.name).map { _, places in
      (places[0].parameter, inOrder(places.map(\.value), of: places[0].parameter))
    }
    // Runs that are not ranked, such as those of a broken variant, decide nothing.
    let isPart = variants.count < Set(index.document.runs.map(\.variant)).count
    // The arguments name all combinations of their values, which may be more than those of `groups`.
    let all = index.document.runs.indices
    let left = all.filter { run in
      (!isPart || named.contains(names.variant(run)))
        && (places + values).allSatisfy { parameter, values in
          names.point(run)[parameter.name].map(values.contains) ?? true
        }
    }
    guard left.count < all.count, variants.count <= ComparisonAnswer.mostNames,
      values.allSatisfy({ $0.1.count <= ComparisonAnswer.mostNames })
    else { return nil }
    // The next table has the axes of this one.
    let settings = index.swept.compactMap { swept in
      (places + values).first { $0.0.name == swept.name }.flatMap { parameter, values in parameter.notation(of: values)
      }
    }
    let arguments = (settings + (isPart ? variants.map { "--variant \($0)" } : [])).joined(separator: " ")
    return (arguments, Double(left.count) / Double(all.count))
  }

  /// Returns the distinct values of a swept parameter, in the order of the sweep.
  private func inOrder(_ values: [ParameterValue], of parameter: ParameterFacts) -> [ParameterValue] {
    (parameter.swept ?? []).filter(values.contains)
  }

  /// Returns a hint about two neighbouring settings if variants are candidates for the best at the first, and not at
  /// the second. The hint suggests a sweep of the settings between the two, unless all of them were tried. Returns nil
  /// if there are no such variants, or if the groups do not differ in a single number.
  func changeHint(_ groups: [AnswerGroup]) -> String? {
    let places = groups.compactMap { group -> (group: AnswerGroup, parameter: ParameterFacts, value: Int)? in
      guard let place = settings(of: group).first, settings(of: group).count == 1, let value = place.value.integer
      else { return nil }
      return (group, place.parameter, value)
    }
    // The hint is about a change of variant. With a single variant, only the settings change, and the lines of the
    // groups name the settings.
    guard places.count == groups.count,
      Set(groups.flatMap(\.runs).map(names.variant)).count > 1
    else { return nil }
    // A group whose best run is undecided shows no change.
    let ordered = places.filter { !$0.group.isUndecided }.sorted { $0.value < $1.value }
    let changes = zip(ordered, ordered.dropFirst()).compactMap { earlier, later -> (text: String, factor: Double)? in
      let others = Set(earlier.group.near.map(names.variant))
      let good = others.union([names.variant(earlier.group.best)])
      // A variant with several settings can be best with one of them, and worse with another.
      let remaining = Set(later.group.candidates.map(names.variant))
      // Few rounds are no evidence of a change, even if the means differ.
      let fallen = ratios(later.group).filter {
        $0.contrast.lowAgreementText == nil && good.subtracting(remaining).contains(names.variant($0.run))
      }
      let first = earlier.value
      guard let most = fallen.last else { return nil }
      let ends = [earlier.value, later.value].map { earlier.parameter.label(.integer($0)) }
      let variants = fallen.map { names.variant($0.run) }.distinct
      let verb = others.isEmpty ? "is best" : "\(variants.count == 1 ? "is" : "are") among the best"
      let text =
        "\(variants.listed(most: ComparisonAnswer.mostNames)) \(verb) at \(ends[0]), but not at "
        + ends[1]
      // A document may contain any integers, whose differences and multiples may exceed the range of Int.
      let doubles = Double(later.value) > 16 * Double(max(first, 1)) || earlier.parameter.unit != nil
      let sweep = FinerSweep(earlier.parameter, between: first...later.value, doubles: doubles)
      guard !sweep.values.allSatisfy(places.map(\.value).contains) else { return (text, most.contrast.factor) }
      return ("\(text); sweep more values to find the change, as in \(sweep.notation)", most.contrast.factor)
    }
    return changes.max { $0.factor < $1.factor }?.text
  }

  /// Returns the settings that distinguish a group from other groups, in the notation of `--set`:
  /// `threads-per-core=16`. Returns an empty string if no parameter divides the runs into groups.
  private func place(_ group: AnswerGroup) -> String {
    settings(of: group).map { $0.label($1) }.joined(separator: " ")
  }

  /// Returns the settings that distinguish a group from other groups; an empty array if no parameter divides the runs
  /// into groups.
  func settings(of group: AnswerGroup) -> [(parameter: ParameterFacts, value: ParameterValue)] {
    index.swept.filter { parameter in
      comparison.groupParameters.contains(parameter.name)
        && Set(index.document.runs.compactMap { $0.point[parameter.name] }).count > 1
    }.compactMap { parameter in
      names.point(group.best)[parameter.name].map { (parameter, $0) }
    }
  }

  /// Returns the word for the settings that distinguish groups: `values of work`, or `combinations` of several
  /// settings.
  func noun(for group: AnswerGroup) -> String {
    let parameters = settings(of: group).map(\.parameter.name)
    return parameters.count == 1 ? "values of \(parameters[0])" : "combinations"
  }

  /// Returns the settings that distinguish a group from other groups, in a sentence: `2 cores, work 10 us`.
  func settingsText(of group: AnswerGroup) -> String {
    settings(of: group).map { RunNames.setting($0, $1) }.joined(separator: ", ")
  }

  /// The maximum number of undecided places that the advice names.
  private static let mostPlaces = 3

  /// The factor by which the advice exceeds the estimated time.
  private static let margin = 1.5

  /// The maximum time that the advice suggests, in seconds.
  private static let longest = 180
}
