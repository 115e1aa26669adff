import Laboratory
import Measurement

/// A sentence of the documents, with its standing on several machines.
struct AtlasSentence: Sendable {
  /// The agreement of the columns that judged a sentence: `once` if only one column judged the sentence, and `never` if
  /// no column judged the sentence.
  enum Agreement: CaseIterable, Sendable {
    case disagreed, agreed, once, never

    /// Returns the heading for the sentences with this agreement.
    func words(_ columns: ColumnWords) -> String {
      switch self {
      case .disagreed: "sentences on which \(columns.many) disagree"
      case .agreed: "sentences on which \(columns.many) agree"
      case .once: "sentences judged \(columns.place) one \(columns.one) only"
      case .never: "sentences without a verdict"
      }
    }
  }

  /// The extent to which machines disagree on a sentence.
  enum Disagreement: Int, Sendable, Comparable {
    case none
    /// The sentence is undecided on some machines, and the other machines agree.
    case open
    /// The standings differ in another way, such as `partly` and `standIn`.
    case otherwise
    /// The sentence is refuted on one machine and holds on another machine.
    case opposed

    static func < (left: Disagreement, right: Disagreement) -> Bool { left.rawValue < right.rawValue }
  }

  /// A claim about the sentence, and the claim's result on each machine that judged it.
  struct Claim: Sendable {
    let scenario: String
    let says: String
    let check: String
    /// The results by the index of the machine; nil for a machine that did not judge the claim.
    let judgedClaims: [SentenceIndex.JudgedClaim?]
    /// A noun for the figures, and the ratio of the largest figure to the smallest figure; nil if the figures are equal
    /// or cannot be compared.
    let apart: (of: String, times: Double)?

    /// Each result as text, with the numbers of the machines that have this result.
    var words: [(machines: [Int], says: String)] {
      let words = judgedClaims.enumerated().compactMap { number, judgedClaim in
        judgedClaim.map { (number + 1, $0.words) }
      }
      return words.grouped { $0.1 }.map { says, machines in (machines.map(\.0), says) }
    }

    /// The ratio of the largest figure to the smallest figure in words: `the ratios lie 1.93x apart`; nil if the
    /// figures are equal or cannot be compared.
    var apartText: String? { apart.map { "the \($0.of) lie \(Quantity.ratio($0.times))x apart" } }
  }

  /// The title of the document that contains the sentence.
  let chapter: String
  let id: String
  let says: String
  let strength: SourceDocuments.Strength?
  /// The standings by the index of the machine; nil for a machine whose verdicts are from another version of the lab.
  /// Such verdicts do not count.
  let standings: [SentenceStanding?]
  let disagreement: Disagreement
  /// The claims whose results differ between machines; empty if the machines agree on the sentence.
  let claims: [Claim]

  /// The number of machines that judged the sentence.
  var judged: Int { standings.count { $0?.isJudged == true } }

  var agreement: Agreement {
    disagreement != .none ? .disagreed : judged > 1 ? .agreed : judged == 1 ? .once : .never
  }

  static func sentences(_ indices: [SentenceIndex]) -> [AtlasSentence] {
    guard let first = indices.first else { return [] }
    // All indices have the same chapters and sentences, in the same order.
    let all = first.chapters.indices.flatMap { chapter in
      first.chapters[chapter].entries.indices.map { entry in
        AtlasSentence(
          first.chapters[chapter].title, indices.map { $0.chapters[chapter].entries[entry] },
          outdated: indices.map { Set($0.outdated) })
      }
    }
    let levels = [Disagreement.opposed, .otherwise, .open, .none]
    return levels.flatMap { level in all.filter { $0.disagreement == level } }
  }

  private init(_ chapter: String, _ entries: [SentenceIndex.Entry], outdated: [Set<String>]) {
    self.chapter = chapter
    id = entries[0].id
    says = entries[0].says
    strength = entries[0].strength
    standings = zip(entries, outdated).map { entry, outdated in
      entry.standing == .notRun && !outdated.isDisjoint(with: entry.scenarios) ? nil : entry.standing
    }
    let judged = standings.compactMap(\.self).filter(\.isJudged)
    disagreement = Self.disagreement(Set(judged))
    claims = disagreement == .none ? [] : Self.claims(entries.map(\.judgedClaims))
  }

  private static func disagreement(_ standings: Set<SentenceStanding>) -> Disagreement {
    let holds: Set<SentenceStanding> = [.borneOut, .inOneConfiguration, .byInference, .byConstruction]
    if standings.contains(.refuted), !standings.isDisjoint(with: holds) { return .opposed }
    if standings.subtracting(holds).count + (standings.isDisjoint(with: holds) ? 0 : 1) < 2 { return .none }
    let decided = standings.subtracting([.undecided])
    return decided.subtracting(holds).count + (decided.isDisjoint(with: holds) ? 0 : 1) > 1 ? .otherwise : .open
  }

  private struct Key: Hashable {
    let scenario, check: String
  }

  /// Returns the claims whose opinions differ between machines.
  private static func claims(_ judgedClaims: [[SentenceIndex.JudgedClaim]]) -> [Claim] {
    let keys = judgedClaims.joined().grouped { Key(scenario: $0.scenario, check: $0.claim.check) }.map(\.key)
    return keys.compactMap { key in
      let found = judgedClaims.map { all in
        all.first { $0.scenario == key.scenario && $0.claim.check == key.check && $0.opinion != .unavailable }
      }
      guard let first = found.compactMap(\.self).first, Set(found.compactMap { $0?.opinion }).count > 1 else {
        return nil
      }
      return Claim(
        scenario: key.scenario, says: first.claim.says, check: key.check, judgedClaims: found,
        apart: apart(found.compactMap { $0?.claim }))
    }
  }

  /// Returns a noun for the figures of a claim, and the ratio of the largest figure to the smallest figure; nil if the
  /// figures are equal or cannot be compared.
  ///
  /// The figures are the claim's ratios if every column has a ratio, and otherwise the left sides of the check.
  private static func apart(_ claims: [ClaimFacts]) -> (of: String, times: Double)? {
    let ratios = claims.compactMap { $0.evidence.ratio?.value }
    let areRatios = ratios.count == claims.count
    let figures = areRatios ? ratios : claims.compactMap { $0.evidence.left?.value }
    guard claims.count > 1, figures.count == claims.count, Set(claims.map(\.evidence.unit)).count == 1,
      let low = figures.min(), let high = figures.max(), low > 0, low < high
    else { return nil }
    let ends = (claims.compactMap { $0.evidence.low?.value }.max(), claims.compactMap { $0.evidence.high?.value }.min())
    let doOverlap = areRatios && (ends.0 ?? 0) <= (ends.1 ?? 0)
    return (areRatios ? doOverlap ? "ratios, whose intervals overlap," : "ratios" : "figures", high / low)
  }
}

extension SentenceStanding {
  /// Whether claims about the sentence were judged, with any result.
  var isJudged: Bool {
    switch self {
    case .refuted, .partly, .undecided, .borneOut, .inOneConfiguration, .byInference, .standIn, .byConstruction: true
    case .unavailable, .notRun, .untried: false
    }
  }
}

extension SentenceIndex.JudgedClaim {
  /// The result of the claim on a machine: `for: supported, sync 114 ns vs mutex 18 ns: …`.
  var words: String { "\(opinion.rawValue): \(claim.verdict.rawValue), " + evidence }
}
