import Laboratory
import Measurement

/// The explanations of verdicts, kinds of claims and roles of variants.
public enum Legend {
  /// The lines that explain the kinds of claims, with the verdicts of each kind.
  public static let kinds = [
    "guarantee: held in every trial, else violated",
    "anomaly: witnessed in at least one trial, else not witnessed",
    "performance: supported or refuted by the rounds (ratios of paired rounds, every round of one side below every "
      + "round of the other, or a figure against a limit), inconclusive if they do not decide",
    "unavailable: not judged; the reason is given",
  ]

  /// The meaning of *not so*, the word for a refuted claim that tests no sentence of a document.
  static let notSo = "not so: a refuted claim of the lab's own"
  /// The meaning of the mark of a claim that was borne out and contradicts a document.
  static let against = "!: borne out, against a sentence of a document"

  /// The words that ``meanings(of:)`` explains.
  public static let words =
    Verdict.allCases.map(\.rawValue) + [ClaimFacts.notSo]
    + (kinds + roles + terms).compactMap { $0.split(separator: ":").first.map(String.init) }

  /// The lines that explain other words of reports.
  private static let terms = [
    "trial: one execution of a variant, in a process of its own",
    "run: the trials of a variant at one setting; in a diff, one execution of the lab",
    "round: one trial of each run; a report pairs the trials of a round",
    "setting: a parameter with a value, as in hold=1us",
    "headline: the first metric that a scenario shows; tables and plots begin with it",
    "paired rounds: the figures of two runs in the same round, whose ratio does not contain what changes between rounds",
    "baseline: the variant with which the others are compared",
    "ratio: the geometric mean of the ratios of paired rounds, with a 99 % interval",
    "geometric mean: the root of a product: a run that is twice as fast and one that takes twice as long cancel out",
    "precision: the distance of the ends of an interval from its ratio, as a share (--precision; by default 2 %, or 10 % with --quick and without --time)",
    "±: half the interval of a ratio, as a share of the ratio",
    "\(Signs.nearFloor): within twice the noise floor, so that the figure may be mostly the cost of the timing",
    "[low \(Signs.range) high]: the interval of a ratio or a change; the true value is in it with the stated confidence",
    "change: the ratio of the new figure to the old one, less 1, in a diff",
    "inconclusive: in a diff, no change is certain, and one that matters is possible",
    "regressed: in a diff, the interval of the change contains only changes for the worse (improved: for the better)",
    "gate: a place where the threads of a trial wait for each other, so that an anomaly is provoked without a sleep",
    "gate: in a diff, the judgement by the limit of --fail-above",
    "interval: the range that contains the true value with the stated confidence; \(Signs.margin) is half of it",
    "confidence: the probability with which all intervals of a report are correct: 99 %, or 95 % in a diff",
    "margin: the distance of the ends of an interval from its ratio, as a share",
    "goal: the precision that the ratios of a comparison must reach (--precision)",
    "too wide: an interval whose ends differ by more than a factor of 100",
    "grid: a comparison over several values of two or more parameters",
    "combination: a value of each parameter that divides the runs of a grid into groups",
    "calibrated work: a chain of steps that keeps a core busy, with a length such as work=15ns; the lab measures the "
      + "speed of a step before each run, and every variant of the run gets the same number of steps",
    "drift: a change of the machine's speed during a run",
    "certainly: by the interval of a ratio, and not only on average",
    "on average: by the means, whose order may be chance",
    "best mean so far: the best geometric mean of too few rounds to rank the runs; it ranks nothing",
    "nothing is ranked: there are too few rounds for the intervals of ratios (\(ConfidenceInterval.fewest) are needed)",
    "not certain: in a diff, a choice of a comparison that left something undecided, or had too few rounds",
    "full size: full run: without --quick, whose trials have less work",
    "nowhere: nowhere more than 1.2x slower: by the means, at none of the settings",
    "nearly so: the lowest mean, or nearly so: by the means, less than 0.5 % from it",
    "caution: in a diff, a remark on what makes the two sides hard to compare",
    "joined: in a diff, a candidate for the best on the new side only; left: on the old side only",
    "left: in a diff, a candidate for the best on the old side only",
    "drifted: the machine became faster or slower during the run",
    "above the limit: in a diff, a change for the worse above the limit of --fail-above",
    "not the same work: the two sides of a diff have other settings, so that no change is better or worse",
    "noise: what differs between the rounds although the settings are the same; it makes intervals wide",
    "noise floor: the time of an empty timing loop, which is part of every timed figure",
    "best mean: the best geometric mean of the rounds of any run except yardsticks; no run is named if another one may be better, and none is as good",
    "as good: not certainly worse than the best, or certainly at most \(ConfidenceInterval.alikeReach) worse",
    "ranked: compared with the best; broken variants, yardsticks and settings with a flaw are not ranked",
    "flaw: a count that should be 0, such as failed-opens; settings with one are not ranked",
    "within: within 4 % of the best: certainly at most 4 % worse",
    "apart: at most 4 % apart: no larger difference is possible, in either direction",
    "choice: in a diff, the settings or the variant that the answer of a comparison recommends, or that has the best means; beside a baseline, the one of the sentence *Compared with each other*",
    "no difference found: the interval of a ratio includes 1, and any difference is below \(ConfidenceInterval.alikeReach) (\(Signs.nearBest))",
    "group: the runs that compete for the same best run: all runs with the same amount of work and the same number of cores",
    "cost model: a formula for the time of a loop, with the cost of a block as one of its terms",
    "candidate: a run that may be the best of its group",
    "mean p50: the geometric mean of the medians of the rounds",
    "p50: the median: half of the samples are below it",
    "p90: 90 % of the samples are below it", "p99: 99 % of the samples are below it",
    "p999: 99.9 % of the samples are below it", "max: the largest sample", "min: the smallest sample",
    "outlier: a figure of a round that is far from those of most rounds",
    "not ranked: not compared with the best, for the reason that follows",
    "of ideal: the speed-up as a share of the ideal, in which twice the cores are twice as fast",
    "trapped: an outcome: the trial was ended by a trap, as for a call that Dispatch forbids",
    "hung: an outcome: all threads of the trial slept long after it should have ended",
    "stopped: an outcome: the trial still worked at its time limit",
    "completed: an outcome: the trial ended by itself",
    "lowest mean: the run with it is not called the best, since another run may be as good",
    "outcome: how a trial ended: completed, trapped, hung, stopped, broken or unavailable",
    "highest mean: as lowest mean, if higher figures are better",
    "\(Signs.best): the best mean", "\(Signs.nearBest): no difference was found, and any is below 10 %",
    "\(Signs.undecided): undecided: a difference of more than 10 % is possible",
    "\(Signs.farUndecided): undecided, and a difference of 2x or more is possible",
    "\(Signs.twoStates): each round is in one of two states, and the mean is typical of neither",
    "\(Signs.outclassed): undecided beside the best mean, but certainly worse than another run, so not the best",
    "mean: the geometric mean of the rounds",
    "two states: the rounds of a run are in one of two groups far apart, and the mean is typical of neither",
    "significant: by simultaneous 99 % confidence intervals of the ratios of paired rounds, or by rounds that do not "
      + "overlap; in a diff, by simultaneous 95 % intervals of the ratios of runs",
    "simultaneous: intervals that are all correct together with the stated confidence",
    "undecided: the rounds do not tell which is better, and the difference may matter",
    "claim: a statement of a scenario that the trials test",
    "partly: a part of a document's sentence is borne out, and another part is refuted",
    "borne out: all claims about a document's sentence that could be judged speak for it",
    "in one configuration: a sentence about every run that was borne out in one configuration only",
    "by inference: the trials show the facts from which a document's sentence follows, and not the sentence itself",
    "stand-in: the lab's replacement for what this system lacks; its claims say nothing about Dispatch",
  ]

  /// Returns the lines that explain a verdict, a kind of claim, a role or another word of reports, such as `held` or
  /// `yardstick`, or its plural; an empty array for an unknown word.
  public static func meanings(of word: String) -> [String] {
    let lines = kinds + [notSo] + roles + terms
    let own = lines.filter { $0.hasPrefix("\(word):") }
    // A word such as `paired` is a part of a term.
    let terms = lines.filter { $0.prefix { $0 != ":" }.split(separator: " ").contains(word[...]) }
    let verdicts = Verdict.allCases.map(\.rawValue).contains(word) ? kinds.filter { $0.contains(word) } : []
    let found = own.isEmpty && verdicts.isEmpty ? terms : own + verdicts
    return found.isEmpty && word.hasSuffix("s") ? meanings(of: String(word.dropLast())) : found
  }

  /// Returns lines of the legend as text for a terminal.
  public static func text(_ lines: [String], _ style: TextStyle) -> String {
    lines.flatMap { $0.wrapped(to: max(20, style.width)) }.map { $0 + "\n" }.joined()
  }

  /// The lines that explain the roles of variants.
  public static let roles = [
    "documented: as in the document", "modern: Swift's newer form", "yardstick: only for comparison",
    "broken: shows a mistake",
  ]
}

extension ReportContent {
  /// Returns the lines that explain the verdicts and the ratios in the report: every kind of claim if `isFull` is true,
  /// and otherwise a single line about the words that the report contains. Returns an empty array if there is nothing
  /// to explain.
  ///
  /// - Parameter shown: the claims whose evidence the report shows.
  func legend(isFull: Bool, of shown: [ClaimFacts]) -> [String] {
    let verdicts = Set(claims.map(\.verdict))
    let remarks: [String?] = [
      claims.contains { $0.word == ClaimFacts.notSo } ? Legend.notSo : nil,
      claims.contains { $0.isAgainstDocument && $0.verdict.isBorneOut } ? Legend.against : nil,
    ]
    let hasRatios = shown.contains(where: \.hasRatio)
    let alike = "the interval includes 1 and reaches at most \(ConfidenceInterval.alikeReach) from it"
    guard isFull else {
      let verdictParts: [String?] = [
        verdicts.contains(.held) ? "held: in every trial" : nil,
        verdicts.contains(.witnessed) ? "witnessed: at least once" : nil,
      ]
      let ratioParts: [String?] = [
        hasRatios
          ? "ratios: means of paired rounds, each with a 99 % interval of its own (those of the tables hold together, and are wider)"
          : nil,
        shown.contains(where: \.isUndecided.narrow) ? "no significant difference: \(alike)" : nil,
        shown.contains(where: \.isUndecided.wide) ? "too noisy to tell: a wider interval" : nil,
      ]
      let parts = (verdictParts + remarks + ratioParts).compactMap(\.self)
      return parts.isEmpty ? [] : [parts.joined(separator: "; ")]
    }
    guard !claims.isEmpty else { return [] }
    return Legend.kinds + remarks.compactMap(\.self)
      + (hasRatios
        ? [
          "ratio: the geometric mean of the ratios of paired rounds, not the ratio of the medians beside it, with the 99 % "
            + "interval of this claim alone (the intervals of a table hold together, and are wider); no significant difference: \(alike); too noisy to tell: a wider interval"
        ] : [])
  }
}
