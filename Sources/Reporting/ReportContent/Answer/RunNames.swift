import Laboratory
import Measurement

/// The names of runs in a sentence, by variant and setting.
struct RunNames {
  let index: RunIndex
  /// The swept parameters that a name can mention.
  let parameters: [ParameterFacts]
  /// Whether names include the variant even if a group has only one variant. Otherwise, the same run of two groups or
  /// of two comparisons could have two names.
  var alwaysNamesVariants = false

  /// Returns the names of runs in a group: `stride 256 to 4096`. If the group has several variants, the names include
  /// the variants, in the order of `runs`: `threads and apply with stride 256 to 4096`, or `threads (stride 64) and
  /// apply (stride 256 to 4096)`.
  ///
  /// - Parameter word: the word between the last two names.
  func callAsFunction(_ runs: [Int], of group: [Int], _ word: String = "and") -> String {
    let variants = runs.map(variant).distinct
    let isOneVariant = !alwaysNamesVariants && Set(group.map(variant)).count == 1
    var phrases: [(variants: [String], settings: String)] = []
    for name in variants {
      let settings = self.settings(runs.filter { variant($0) == name }, of: group.filter { variant($0) == name })
      if let place = phrases.firstIndex(where: { $0.settings == settings }) {
        phrases[place].variants.append(name)
      } else {
        phrases.append(([name], settings))
      }
    }
    let texts = phrases.map { phrase in
      if isOneVariant {
        return phrase.settings.isEmpty ? phrase.variants.listed(most: ComparisonAnswer.mostNames) : phrase.settings
      }
      let who = phrase.variants.listed(word, most: ComparisonAnswer.mostNames)
      // The setting names a variant with the same name as its parameter.
      if phrase.settings.hasPrefix("\(who) ") { return phrase.settings }
      return phrase.settings.isEmpty
        ? who : phrases.count == 1 ? "\(who) with \(phrase.settings)" : "\(who) (\(phrase.settings))"
    }
    guard texts.count <= ComparisonAnswer.mostNames else {
      return texts.prefix(ComparisonAnswer.mostNames).joined(separator: ", ") + " and others in the table"
    }
    // If another phrase contains the word, a comma precedes the last phrase.
    let last = phrases.dropLast().contains { $0.variants.count > 1 } ? ", \(word) " : " \(word) "
    return [texts.dropLast().joined(separator: ", "), texts.last ?? ""].filter { !$0.isEmpty }.joined(separator: last)
  }

  /// Returns the settings of some runs of one variant: `stride 256 to 4096` or `stride 4 or 64`. Returns an empty
  /// string if no parameter affects the variant. `all` contains all runs of the variant in the group.
  private func settings(_ runs: [Int], of all: [Int]) -> String {
    let relevant = parameters.filter { parameter in all.contains { point($0)[parameter.name] != nil } }
    guard let parameter = relevant.first else { return "" }
    guard relevant.count == 1 else { return settings(runs, relevant[...]) }
    // Several runs can have the same setting of the parameter. One run represents all runs with this setting.
    func first(_ runs: [Int]) -> [Int] { runs.grouped { point($0)[parameter.name] }.compactMap(\.elements.first) }
    let places = first(all).sorted { (number($0, parameter) ?? 0) < (number($1, parameter) ?? 0) }
    let named = runs.map { point($0)[parameter.name] }
    let meant = places.indices.filter { named.contains(point(places[$0])[parameter.name]) }
    func value(_ place: Int) -> String { point(places[place])[parameter.name].map(parameter.describe) ?? "" }
    guard let first = meant.first, let last = meant.last else { return "" }
    let areNumbers = places.allSatisfy { number($0, parameter) != nil }
    // Nothing is known about settings that were not tried, so a few settings are listed, and a range states both ends.
    let isRange = areNumbers && meant.count > Self.mostValues
    if meant.count == places.count, meant.count > 1, isRange || !areNumbers {
      let values =
        areNumbers ? "tried \(Self.noun(parameter)) from \(value(first)) to \(value(last))" : parameter.name
      return "any \(values)"
    }
    // Two successive values are no range.
    let ranges =
      isRange ? Self.ranges(meant).flatMap { $0.count == 2 ? $0.map { $0...$0 } : [$0] } : meant.map { $0...$0 }
    let texts = ranges.map { range in
      value(range.lowerBound) + (range.count > 1 ? " to \(value(range.upperBound))" : "")
    }
    return Self.setting(parameter, texts)
  }

  /// Returns the settings of several parameters: `stride 1 or 4 at threads 10, or stride 16 at threads 10 or 20`.
  private func settings(_ runs: [Int], _ parameters: ArraySlice<ParameterFacts>) -> String {
    guard let parameter = parameters.first else { return "" }
    let texts = runs.grouped { point($0)[parameter.name] }.map { value, runs in
      (value: value.map(parameter.describe), rest: settings(runs, parameters.dropFirst()))
    }.grouped(by: \.rest).map { rest, settings in
      let own = settings.compactMap(\.value)
      return [own.isEmpty ? "" : Self.setting(parameter, own), rest].filter { !$0.isEmpty }.joined(separator: " at ")
    }
    let isNested = texts.contains { $0.contains(" at ") }
    return isNested && texts.count <= ComparisonAnswer.mostNames
      ? texts.joined(separator: ", or ") : texts.listed("or", most: ComparisonAnswer.mostNames)
  }

  /// Returns values of a parameter in a sentence: `stride 4 or 64`, `2 cores`.
  static func setting(_ parameter: ParameterFacts, _ values: [String], _ word: String = "or") -> String {
    let text = values.listed(word, most: ComparisonAnswer.mostNames)
    return parameter.name == Cores.name ? "\(text) core\(text == "1" ? "" : "s")" : "\(parameter.name) \(text)"
  }

  /// Returns the words for a setting in a sentence: `stride 4`, `1 core`.
  static func setting(_ parameter: ParameterFacts, _ value: ParameterValue) -> String {
    setting(parameter, [parameter.describe(value)])
  }

  /// Returns the words for a parameter after an adjective: `limit` in `the largest limit`, `number of threads`, or
  /// `value of reads`.
  static func noun(_ parameter: ParameterFacts) -> String {
    guard parameter.name.hasSuffix("s") else { return parameter.name }
    return "\(parameter.unit == nil ? "number" : "value") of \(parameter.name)"
  }

  /// Returns the form of `to be` for the names of runs: `stride 4 is`, `mutex with 2 cores is`, `2 cores are`.
  static func verb(_ names: String) -> String { isPlural(names) ? "are" : "is" }

  /// Returns the form of `to have` for the names of runs.
  static func has(_ names: String) -> String { isPlural(names) ? "have" : "has" }

  private static func isPlural(_ names: String) -> Bool {
    names.hasSuffix(" cores") && names.first?.isNumber == true
  }

  /// Returns the ranges of successive numbers in `numbers`, which are in increasing order.
  private static func ranges(_ numbers: [Int]) -> [ClosedRange<Int>] {
    numbers.reduce(into: []) { ranges, number in
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
  }

  /// The maximum number of successive values that are listed. More values are a range.
  private static let mostValues = 3

  func number(_ run: Int, _ parameter: ParameterFacts) -> Int? { point(run)[parameter.name]?.integer }

  func variant(_ run: Int) -> String { index.document.runs[run].variant }
  func point(_ run: Int) -> [String: ParameterValue] { index.document.runs[run].point }
}

extension RunIndex {
  /// Returns the names of runs by all swept parameters. A setting of a group may be the reason for what a sentence says
  /// of them.
  func fullName(_ runs: [Int]) -> String {
    RunNames(index: self, parameters: swept)(runs, of: Array(document.runs.indices))
  }

  /// Returns the names of the settings that have no figure of `metric` and whose results satisfy `isMeant`; nil if
  /// there are no such settings.
  func unmeasured(by metric: MetricFacts, where isMeant: (RunFacts) -> Bool) -> String? {
    let runs = document.runs.indices.filter { run in
      document.runs[run].metrics[metric.name] == nil && isMeant(document.runs[run])
    }
    return runs.isEmpty ? nil : fullName(runs)
  }
}
