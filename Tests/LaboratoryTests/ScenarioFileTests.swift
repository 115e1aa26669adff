import Testing

@testable import Laboratory

@Suite struct ScenarioFileTests {
  private static let good = """
    scenario: mine
    pattern: fake
    title: A title
    source: a document
    lesson: |
      Two
      lines.
    parameters: {work: 2ms, chunk: 64KiB}
    variants: [loop, apply]
    sweep: {stride: [1, 1_024]}
    baseline: loop
    show: [elapsed]
    claims:
      - says: It is faster.
        kind: performance
        check: apply[stride=1].elapsed < loop.elapsed
    quick: {work: 1us}
    """

  private func read(_ yaml: String) throws(InputError) -> Experiment {
    try ScenarioFile(place: "mine.yml", patterns: [FakePattern()]).experiment(from: yaml)
  }

  private func failure(_ yaml: String) -> String? {
    #expect(throws: InputError.self) { try read(yaml) }?.description
  }

  @Test func readsEverything() throws {
    let experiment = try read(Self.good)
    #expect(experiment.name == "mine")
    #expect(experiment.lesson == "Two\nlines.\n")
    #expect(experiment.parameters == ["work": .integer(2_000_000), "chunk": .integer(65_536)])
    #expect(experiment.variants.map(\.name) == ["loop", "apply"])
    #expect(experiment.sweep.map(\.name) == ["stride"])
    #expect(experiment.sweep.first?.values == [.integer(1), .integer(1024)])
    #expect(experiment.quick == ["work": .integer(1000)])
    #expect(experiment.claims.count == 1)
  }

  @Test(arguments: [
    ("pattern: fake", "pattern: fak", "mine.yml:2: unknown pattern 'fak'; did you mean 'fake'?"),
    (
      "title: A title", "titel: A title",
      "mine.yml:3: unknown key 'titel' (allowed: scenario, pattern, title, source, lesson, tags, parameters, variants, "
        + "sweep, baseline, show, claims, quick); did you mean 'title'?"
    ),
    (
      "work: 2ms", "wrk: 2ms",
      "mine.yml:8: unknown parameter 'wrk' of fake (known: stride, work, chunk, balance); did you mean 'work'?"
    ),
    ("work: 2ms", "work: 2KiB", "mine.yml:8: work: found '2KiB', expected a duration such as 50ns or 2ms"),
    ("work: 2ms", "work: 2min", "mine.yml:8: work: 2min is out of range, allowed is 0 ns to 1 s"),
    ("work: 2ms", "work: 0.5ns", "mine.yml:8: work: '0.5ns' is not a whole number of ns"),
    ("work: 2ms", "work: [1]", "mine.yml:8: work: expected a single value, found a list"),
    ("[loop, apply]", "[loop, aply]", "mine.yml:9: unknown variant 'aply' of fake; did you mean 'apply'?"),
    ("[loop, apply]", "[loop, loop]", "mine.yml:9: variant 'loop' is listed twice"),
    ("[1, 1_024]", "[1, 1]", "mine.yml:10: sweep of 'stride' has '1' twice"),
    ("[1, 1_024]", "[]", "mine.yml:10: sweep of 'stride' has no values"),
    (
      "[1, 1_024]", "[1, x]",
      "mine.yml:10: stride: 'x' is not a number with a unit such as 50ns, 2ms, 64KiB or 1_000"
    ),
    ("sweep: {stride", "sweep: {work", "mine.yml:10: work: found '1', expected a duration such as 50ns or 2ms"),
    ("baseline: loop", "baseline: broken", "mine.yml:11: baseline 'broken' is not one of the variants"),
    ("show: [elapsed]", "show: [elapsde]", "mine.yml:12: unknown metric 'elapsde' of fake; did you mean 'elapsed'?"),
    (
      "kind: performance", "kind: perf",
      "mine.yml:15: unknown kind 'perf' (allowed: guarantee, anomaly, performance)"
    ),
    (
      "apply[stride=1].elapsed <", "all.elapsed <",
      "mine.yml:16: check 'all.elapsed < loop.elapsed': a performance check compares single variants, "
        + "not 'all' or 'any'"
    ),
    ("scenario: mine", "scenario: a b", "mine.yml:1: scenario: 'a b' may have only letters, digits, '-' and '_'"),
    ("scenario: mine\n", "", "mine.yml:1: the key 'scenario' is missing"),
    ("source: a document", "source: {", "mine.yml:5: not valid YAML: found character that cannot start any token"),
    ("source: a document", "title: again", "mine.yml:3: the key title stands twice"),
  ])
  func saysWhereAndWhatIsWrong(_ old: String, _ new: String, _ message: String) {
    #expect(failure(Self.good.replacing(old, with: new, maxReplacements: 1)) == message)
  }

  @Test func refusesWhatIsNoMapping() {
    #expect(failure("") == "mine.yml: the file is empty")
    #expect(failure("- 1") == "mine.yml:1: a scenario file: expected keys and values, found a list")
    #expect(failure("hello") == "mine.yml:1: a scenario file: expected keys and values, found 'hello'")
  }

  @Test func aSweptParameterIsNotAlsoSet() {
    #expect(
      failure(Self.good.replacing("{work: 2ms,", with: "{stride: 3,"))
        == "mine.yml:10: 'stride' is both a parameter and swept")
  }
}
