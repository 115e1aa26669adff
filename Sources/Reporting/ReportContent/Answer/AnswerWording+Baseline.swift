import Laboratory
import Measurement

/// The words about groups beside a baseline.
extension AnswerWording {
  /// A run, or the runs of several groups with the same name, beside the baseline.
  private struct Rival {
    let name: String
    /// The groups in which the run is certainly better and certainly worse than the baseline, with the ratios.
    let better, worse: [(group: AnswerGroup, multiple: MeanRatio)]
    /// The number of groups in which no difference was found, and in which the rounds do not decide.
    let alike, undecided: Int

    var largest: Double { (better + worse).map(\.multiple.factor).max() ?? 1 }
  }

  /// Returns a sentence about groups beside a baseline, without a full stop at the end. For a single group, the
  /// sentence has the ratios: `Compared with queue, faster: mutex (2.1x), actor (1.2x); slower: barrier (1.3x)`. For
  /// several groups, it has the runs that are better and worse in all or some groups: `Compared with queue, faster
  /// everywhere: mutex; faster somewhere, but slower elsewhere: actor`. The items of ``besideBaseline(_:_:most:)`` have
  /// the places.
  func againstBaseline(_ groups: [AnswerGroup], _ baseline: String) -> String {
    let rivals = rivals(of: baseline, in: groups)
    let parts = groups.count == 1 ? ratios(of: rivals) : frequencies(of: rivals, in: groups.count)
    return parts.isEmpty
      ? "No run certainly differs from \(baseline)" : "Compared with \(baseline), \(parts.joined(separator: "; "))"
  }

  /// Returns the better and the worse runs of a single group with their ratios; an empty array if no run certainly
  /// differs.
  private func ratios(of rivals: [Rival]) -> [String] {
    func list(_ word: String, _ found: (Rival) -> [(group: AnswerGroup, multiple: MeanRatio)]) -> String? {
      let rivals = rivals.filter { !found($0).isEmpty }.sorted { $0.largest > $1.largest }
      guard !rivals.isEmpty else { return nil }
      let texts = rivals.map { "\($0.name) (\(Self.rangeText(found($0).map(\.multiple))))" }
      return "\(word): \(texts.abridged(to: ComparisonAnswer.mostNames))"
    }
    let (better, worse) = (list(metric.betterWord, \.better), list(metric.worseWord, \.worse))
    guard better != nil || worse != nil else { return [] }
    return [better ?? "nothing is certainly \(metric.betterWord)", worse].compactMap(\.self)
  }

  /// Returns the names of runs, joined by how often they are better and worse in several groups.
  private func frequencies(of rivals: [Rival], in groups: Int) -> [String] {
    let (better, worse) = (metric.betterWord, metric.worseWord)
    let kinds: [(words: String, includes: (_ better: Int, _ worse: Int) -> Bool)] = [
      ("\(better) everywhere", { better, _ in better == groups }),
      ("\(better) somewhere, and certainly \(worse) nowhere", { 1..<groups ~= $0 && $1 == 0 }),
      ("\(better) somewhere, but \(worse) elsewhere", { $0 > 0 && $1 > 0 }),
      ("\(worse) somewhere, and certainly \(better) nowhere", { $0 == 0 && 1..<groups ~= $1 }),
      ("\(worse) everywhere", { _, worse in worse == groups }),
      ("no certain difference", { $0 == 0 && $1 == 0 }),
    ]
    return kinds.compactMap { words, includes in
      let names = rivals.filter { includes($0.better.count, $0.worse.count) }.map(\.name)
      return names.isEmpty ? nil : "\(words): \(names.abridged(to: ComparisonAnswer.mostNames))"
    }
  }

  /// Returns the runs of `groups` beside the baseline, the one that is better in the most groups first.
  private func rivals(of baseline: String, in groups: [AnswerGroup]) -> [Rival] {
    groups.flatMap { group in
      let yardsticks = comparison.yardsticks.filter { comparison.bestOfGroup(of: $0) == group.best }
      return (group.runs + yardsticks).filter { names.variant($0) != baseline }.compactMap { run in
        // A yardstick does not compete with the runs of the group, and has settings of its own.
        let name =
          yardsticks.contains(run)
          ? "\(names([run], of: group.runs + yardsticks)) (a yardstick)" : names([run], of: group.runs)
        return comparison.contrasts[run].map { (name: name, contrast: $0, group: group) }
      }
    }.grouped(by: \.name).map { name, all in
      let certain = all.filter { $0.contrast.isDistinct == true }
      func found(isBetter: Bool) -> [(group: AnswerGroup, multiple: MeanRatio)] {
        certain.filter { (($0.contrast.ratio > 1) == (metric.better == .higher)) == isBetter }
          .map { ($0.group, MeanRatio($0.contrast)) }
      }
      let alike = all.count { $0.contrast.isDistinct == false && $0.contrast.isNoise == false }
      return Rival(
        name: name, better: found(isBetter: true), worse: found(isBetter: false), alike: alike,
        undecided: all.count - certain.count - alike)
    }.sorted { ($0.better.count, $1.worse.count, $0.largest) > ($1.better.count, $0.worse.count, $1.largest) }
  }

  /// Returns an item of a list for each run of several groups: where it is better and worse than the baseline, and by
  /// how much: `mutex: 2.1x to 440x faster than queue at hold 0 ns and 1 us; undecided against queue at 2 of the 4
  /// values of hold`.
  func besideBaseline(_ groups: [AnswerGroup], _ baseline: String, most: Int) -> [String] {
    let items = rivals(of: baseline, in: groups).map { rival in
      func part(_ word: String, _ found: [(group: AnswerGroup, multiple: MeanRatio)]) -> String? {
        guard !found.isEmpty else { return nil }
        let place = found.count == groups.count ? "everywhere" : "at \(places(found.map(\.group), of: groups))"
        return "\(Self.rangeText(found.map(\.multiple))) \(word) than \(baseline) \(place)"
      }
      func count(_ words: String, _ count: Int) -> String? {
        count == 0 ? nil : "\(words) at \(count.of(groups.count, noun(for: groups[0])))"
      }
      let parts = [
        part(metric.betterWord, rival.better), part(metric.worseWord, rival.worse),
        count("no difference found", rival.alike), count("undecided against \(baseline)", rival.undecided),
      ]
      return "\(ComparisonAnswer.item)\(rival.name): \(parts.compactMap(\.self).joined(separator: "; "))"
    }
    return items.shortened(to: most) { "\($0) more are in the tables" }
  }
}

extension [String] {
  /// Returns the first `most` elements, and the words for the number of the others. A single further element takes the
  /// place of these words.
  func shortened(to most: Int, _ words: (_ others: Int) -> String) -> [String] {
    count <= most + 1 ? self : prefix(most) + [words(count - most)]
  }
}
