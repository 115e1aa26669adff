import LabTesting
import Testing

@testable import Laboratory

/// Tests of a scenario's conclusions, which depend on its claims and on the run's figures.
@Suite struct ConclusionTests {
  private static let file = """
    scenario: mine
    pattern: fake
    title: A title
    source: a document
    variants: [loop, broken]
    claims:
      - says: Nothing is left out.
        kind: guarantee
        check: loop.missed == 0
      - says: The loop is slower.
        kind: performance
        check: loop.elapsed > broken.elapsed
    conclusions:
      - if: [loop.missed == 0, not loop.elapsed > broken.elapsed]
        says: Keep the loop, on {system} {broken.elapsed / loop.elapsed} times as fast.
      - if: [loop.missed == 0]
        says: "{broken.missed of broken.rate} are left out, {broken.missed} a trial."
    """

  private func read(_ yaml: String) throws(InputError) -> Experiment {
    try ScenarioReader(place: "mine.yml", patterns: [FakePattern()]).experiment(from: yaml)
  }

  /// Returns the conclusion of ten rounds with the given times of both variants and the given count of the loop's
  /// misses.
  private func conclusion(
    loop: Double, broken: Double, missed: Double = 0, noise: Double = 0, file: String = file
  ) throws -> String? {
    try results(loop: loop, broken: broken, missed: missed, noise: noise, file: file).conclusion?.says
  }

  private func results(
    loop: Double, broken: Double, missed: Double = 0, noise: Double = 0, file: String = file
  ) throws -> Results {
    let experiment = try read(file.replacing("broken.rate", with: "broken.missed"))
    var results = Results(
      experiment: experiment, machine: .test, seed: 1, started: "2026-01-01T00:00:00Z",
      runs: Plan(experiment, budget: .standard, seed: 1).runs)
    for (index, figures) in [(loop, missed), (broken, 3)].enumerated() {
      for round in 0..<10 {
        var observation = Observation()
        observation.record("elapsed", figures.0 * (1 + noise * Double((index + round) % 2)))
        observation.record("missed", figures.1)
        observation.record("blocks", Double(8 + round))
        results.runs[index].trials.append(TrialRecord(round: round, outcome: .completed, observation: observation))
      }
    }
    results.judgements = Judge(results).judgements()
    #expect(results.conclusion.map { $0.kind == Conclusion.kind } ?? true)
    return results
  }

  @Test func `the first conclusion that the claims bear out is shown with its figures`() throws {
    #expect(try conclusion(loop: 1000, broken: 2500) == "Keep the loop, on \(Machine.test.os) 2.50 times as fast.")
    #expect(try conclusion(loop: 2500, broken: 1000)?.hasPrefix("100 % (") == true)
  }

  @Test func `a ratio to a figure near the noise floor is a lower bound`() throws {
    // The noise floor of the test machine is 45 ns.
    func ratio(loop: Double, broken: Double) throws -> (String?, isLowerBound: Bool?) {
      let results = try results(loop: loop, broken: broken)
      return (results.conclusion?.says, results.judgements[1].evidence.isLowerBound)
    }
    #expect(try ratio(loop: 50, broken: 5000) == ("Keep the loop, on Linux at least 100 times as fast.", true))
    #expect(try ratio(loop: 50, broken: 80) == ("Keep the loop, on Linux at least 1.60 times as fast.", true))
    #expect(try ratio(loop: 500, broken: 5000) == ("Keep the loop, on Linux 10.0 times as fast.", false))
  }

  @Test func `a share of many cases is a range over the rounds, and a share of few cases has the counts`() throws {
    #expect(Results.share([(90, 1000), (380, 1000)]) == "9 to 38 %")
    #expect(Results.share([(0, 4), (1, 4), (1, 4)]) == "17 % (2 of 12)")
    #expect(Results.share([]) == nil)
    let file = Self.file.replacing("{broken.missed of broken.rate}", with: "{broken.missed of loop.blocks}")
      .replacing("variants: [loop, broken]", with: "variants: [apply, broken]").replacing("loop.", with: "apply.")
    #expect(try conclusion(loop: 2500, broken: 1000, file: file)?.hasSuffix(") are left out, 3 a trial.") == true)
  }

  @Test func `a run has no conclusion if its claims do not bear out any conclusion of the scenario`() throws {
    #expect(try conclusion(loop: 1000, broken: 2500, missed: 1) == nil)
  }

  @Test func `a run with noisy rounds suggests more rounds in place of a conclusion`() throws {
    let undecided = "No conclusion: the rounds are too noisy; --thorough runs 30."
    #expect(try conclusion(loop: 1000, broken: 1000, missed: 1, noise: 0.5) == undecided)
  }

  @Test(arguments: [
    (
      "[loop.missed == 0]\n", "[loop.missed == 1]\n",
      "mine.yml:16: 'loop.missed == 1' is not the check of a claim in this file; did you mean 'loop.missed == 0'?"
    ),
    ("- if: [loop.missed == 0]\n", "- if: []\n", "mine.yml:16: a conclusion needs 'if': checks of claims"),
    ("{broken.missed}", "{broken.missed", "mine.yml:17: says: '{' is not closed by '}'"),
    ("{broken.missed}", "{brok.missed}", "mine.yml:17: figure 'brok.missed': unknown variant 'brok'"),
    (
      "{broken.missed}", "{all.missed}",
      "mine.yml:17: figure 'all.missed': a performance check or a conclusion needs single variants, not 'all' or 'any'"
    ),
    ("broken.missed of broken.rate", "broken.missed of broken.rate", "mine.yml:17: 'broken.missed of broken.rate'"),
    (
      "- if: [loop.missed == 0]\n", "- when: [loop.missed == 0]\n",
      "mine.yml:16: unknown key 'when' (allowed: if, says)"
    ),
  ])
  func `an invalid conclusion is refused with its line and the reason`(
    _ old: String, _ new: String, _ message: String
  ) {
    // The file can be read if only this part is replaced.
    let good = old.contains(" of ") ? Self.file : Self.file.replacing("broken.rate", with: "broken.missed")
    let found = #expect(throws: InputError.self) { try read(good.replacing(old, with: new)) }?.description ?? ""
    #expect(found.hasPrefix(message), "\(found)")
  }
}
