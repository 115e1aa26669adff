import LabTesting
import Platform
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
    try ScenarioReader(place: "mine.yml", patterns: [FakePattern()]).experiment(from: yaml)
  }

  private func failure(_ yaml: String) -> String? {
    #expect(throws: InputError.self) { try read(yaml) }?.description
  }

  @Test func `a scenario file with every key is read`() throws {
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
      "mine.yml:3: unknown key 'titel'; did you mean 'title'? (allowed: scenario, pattern, title, source, lesson, tags, parameters, variants, "
        + "sweep, baseline, show, claims, conclusions, quick, trace)"
    ),
    (
      "work: 2ms", "wrk: 2ms",
      "mine.yml:8: unknown parameter 'wrk' of fake; did you mean 'work'? (known: stride, work, chunk, balance, cores)"
    ),
    ("work: 2ms", "work: 2KiB", "mine.yml:8: work: found '2KiB', expected a duration such as 50ns or 2ms"),
    ("work: 2ms", "work: 2min", "mine.yml:8: work: 2min is out of range; expected 0 ns to 1 s"),
    ("work: 2ms", "work: 0.5ns", "mine.yml:8: work: '0.5ns' is not a whole number of ns"),
    ("work: 2ms", "work: [1]", "mine.yml:8: work: expected a single value, found a list"),
    ("[loop, apply]", "[loop, aply]", "mine.yml:9: unknown variant 'aply' of fake; did you mean 'apply'?"),
    ("[loop, apply]", "[loop, loop]", "mine.yml:9: variant 'loop' is listed twice"),
    ("[1, 1_024]", "[1, 1]", "mine.yml:10: sweep of 'stride' has '1' twice"),
    ("[1, 1_024]", "[]", "mine.yml:10: sweep of 'stride' has no values"),
    (
      "[1, 1_024]", "[1, x]",
      "mine.yml:10: stride: found 'x', expected a count such as 64, 1_000 or 200k"
    ),
    (
      "sweep: {stride", "sweep: {work",
      "mine.yml:10: work: found '1', which has no unit; expected a duration such as 50ns or 2ms"
    ),
    (
      "baseline: loop", "baseline: broken",
      "mine.yml:11: baseline 'broken' is not one of the variants (known: loop, apply)"
    ),
    ("show: [elapsed]", "show: [elapsde]", "mine.yml:12: unknown metric 'elapsde' of fake; did you mean 'elapsed'?"),
    (
      "kind: performance", "kind: perf",
      "mine.yml:15: unknown kind 'perf' (allowed: guarantee, anomaly, performance)"
    ),
    (
      "apply[stride=1].elapsed <", "all.elapsed <",
      "mine.yml:16: check 'all.elapsed < loop.elapsed': a performance check or a conclusion needs single variants, "
        + "not 'all' or 'any'"
    ),
    (
      "apply[stride=1].elapsed <", "apply[stride=8].elapsed <",
      "mine.yml:16: check 'apply[stride=8].elapsed < loop.elapsed': no run has stride=8; the sweep has 1, 1024"
    ),
    (
      "apply[stride=1].elapsed <", "apply[stride=1,work=3ms].elapsed <",
      "mine.yml:16: check 'apply[stride=1,work=3ms].elapsed < loop.elapsed': no run has work=3ms; the value is 2ms"
    ),
    (
      "apply[stride=1].elapsed <", "5 < loop.blocks and",
      "mine.yml:16: check '5 < loop.blocks and loop.elapsed': found 'and loop.elapsed' after the check"
    ),
    (
      "apply[stride=1].elapsed < loop.elapsed", "loop.blocks < 5",
      "mine.yml:16: check 'loop.blocks < 5': loop does not measure 'blocks' (known: elapsed, missed, rate)"
    ),
    (
      "performance\n    check: apply[stride=1].elapsed < loop.elapsed", "guarantee\n    check: all.time-to-end < 5ms",
      "mine.yml:16: check 'all.time-to-end < 5ms': unknown metric 'time-to-end' of fake (known: elapsed, missed, rate, blocks, completed, trapped, hung, processor-time, voluntary-switches, involuntary-switches, peak-thread-count, peak-memory)"
    ),
    (
      "apply[stride=1].elapsed < loop.elapsed", "apply.elapsed < loop.elapsed",
      "mine.yml:16: check 'apply.elapsed < loop.elapsed': name the stride as well, as in apply[stride=…]"
    ),
    (
      "apply[stride=1].elapsed < loop.elapsed", "1 > 2",
      "mine.yml:16: check '1 > 2': names no figure; expected for example loop.METRIC"
    ),
    (
      "show: [elapsed]", "shwo: [elapsed]",
      "mine.yml:12: unknown key 'shwo'; did you mean 'show'? (allowed: scenario, pattern, title, source, lesson, tags, parameters, variants, "
        + "sweep, baseline, show, claims, conclusions, quick, trace)"
    ),
    ("    kind: performance\n", "", "mine.yml:14: the key 'kind' is missing in claim 1"),
    (
      "    kind: performance\n", "    kid: performance\n",
      "mine.yml:15: unknown key 'kid' in claim 1; did you mean 'kind'? (allowed: says, bears, contradicts, of, kind, check, for)"
    ),
    ("pattern: fake\n", "", "mine.yml:1: the key 'pattern' is missing"),
    ("scenario: mine", "scenario: a b", "mine.yml:1: scenario: 'a b' may have only letters, digits, '-' and '_'"),
    ("scenario: mine\n", "", "mine.yml:1: the key 'scenario' is missing"),
    (
      "source: a document", "source: {",
      "mine.yml:5: not valid YAML: a text begins with a sign of YAML's own (@ ` %), or a '{' or '[' is not closed: put the text in quotes (found character that cannot start any token)"
    ),
    ("source: a document", "title: again", "mine.yml:3: the key title appears twice"),
  ])
  func `an invalid scenario file is refused with the line and the reason`(
    _ old: String, _ new: String, _ message: String
  ) {
    #expect(failure(Self.good.replacing(old, with: new, maxReplacements: 1)) == message)
  }

  @Test func `the documentation lists every key of a scenario file`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let page = try #require(readFile(root + "/docs/own-scenarios.md"))
    let listed = page.matches(of: /\n\| `([a-z]+)` \|/).map { String($0.output.1) }
    #expect(listed == ScenarioReader.keys + ["says", "kind", "check", "bears", "contradicts", "of", "for"])
    #expect(Set(listed.suffix(7)) == Set(ClaimReader.keys))
  }

  /// Returns a file with one claim on several variants.
  private static func shared(
    _ subjects: String, says: String = "{variant} loses nothing.", check: String = "{variant}.missed == 0"
  ) -> String {
    let head = good.prefix(upTo: good.firstRange(of: "claims:")?.lowerBound ?? good.endIndex)
    return head + """
      claims:
        - for: \(subjects)
          says: "\(says)"
          kind: guarantee
          check: "\(check)"
      """
  }

  @Test func `a claim for several variants becomes one claim for each variant`() throws {
    let named = try read(Self.shared("{apply: The parallel loop, loop: The plain loop}")).claims
    #expect(named.map(\.says) == ["The parallel loop loses nothing.", "The plain loop loses nothing."])
    #expect(named.map(\.check.text) == ["apply.missed == 0", "loop.missed == 0"])
    #expect(try read(Self.shared("[loop]")).claims.map(\.says) == ["loop loses nothing."])
  }

  @Test(arguments: [
    ("[lop]", "{variant}", "{variant}.missed == 0", "14: for: unknown variant 'lop'; did you mean 'loop'?"),
    ("{lop: It}", "{variant}", "{variant}.missed == 0", "14: for: unknown variant 'lop'; did you mean 'loop'?"),
    ("[loop, loop]", "{variant}", "{variant}.missed == 0", "14: for: 'loop' appears twice"),
    ("[]", "{variant}", "{variant}.missed == 0", "14: for: names no variant"),
    ("loop", "{variant}", "{variant}.missed == 0", "14: for: expected a list, found 'loop'"),
    ("{loop: [It]}", "{variant}", "{variant}.missed == 0", "14: loop: expected a single value, found a list"),
    (
      "[loop]", "It", "{variant}.missed == 0",
      "15: says: '{variant}' is missing, which stands for each variant of 'for'"
    ),
    (
      "[loop]", "{variant}", "loop.missed == 0",
      "17: check: '{variant}' is missing, which stands for each variant of 'for'"
    ),
  ])
  func `a claim for invalid variants, or without a placeholder for the variant, is refused`(
    _ subjects: String, _ says: String, _ check: String, _ message: String
  ) {
    #expect(failure(Self.shared(subjects, says: says, check: check)) == "mine.yml:" + message)
  }

  @Test func `a sweep in a scenario file can be a range`() throws {
    let ranged = Self.good.replacing("[1, 1_024]", with: "1..64:x4").replacing("stride=1]", with: "stride=4]")
    #expect(try read(ranged).sweep.first?.values == [1, 4, 16, 64].map { .integer($0) })
    let turned = failure(Self.good.replacing("[1, 1_024]", with: "9..1"))
    #expect(turned == "mine.yml:10: stride: the range '9..1' ends before it begins")
  }

  private static let documents = """
    documents:
      - document: guide
        title: A guide
        sentences:
          - {id: guide.33, says: so, said: always, place: a heading, word: never, conditions: [one, another], partly: half of it}
          - {id: guide.35, says: not so, reason: an opinion, place: a heading, word: easier}
          - {id: guide.36, says: perhaps, said: may, place: p, word: may, conditions: [one], by-construction: one reads it, by-inference: it follows, stand-in: {linux: ours}}
    """

  @Test func `a claim lists the sentences that it bears out and the sentences that it contradicts`() throws {
    func testing(_ keys: String) -> String { Self.good.replacing("kind: perf", with: "\(keys)\n    kind: perf") }
    let claim = try read(testing("bears: [guide.34]\n    contradicts: [guide.19]")).claims[0]
    #expect(claim.bears == ["guide.34"] && claim.contradicts == ["guide.19"])
    #expect(claim.sentenceIDs == ["guide.34", "guide.19"])
    #expect(try read(testing("of: lesson")).claims[0].sentenceIDs == [])
    let documents = try SourceDocuments(place: "documents.yml", yaml: Self.documents)
    #expect(documents.sentence("guide.35")?.reason == "an opinion")
    #expect(
      documents.sentence("guide.33")?.strength == .always && documents.sentence("guide.33")?.partly == "half of it")
    #expect(documents.sentence("guide.36")?.byConstruction == "one reads it")
    #expect(documents.sentence("guide.36")?.byInference == "it follows")
    #expect(documents.sentence("guide.33")?.place == "a heading" && documents.sentence("guide.33")?.word == "never")
    #expect(documents.sentence("guide.33")?.conditions == ["one", "another"])
    #expect(
      documents.sentence("guide.35")?.conditions == [] && documents.sentence("guide.35")?.line == "documents.yml:6")
    #expect(documents.sentence("guide.36")?.standIns == ["Linux": "ours"])
    let file = ScenarioReader(place: "mine.yml", patterns: [FakePattern()], documents: documents)
    func failure(_ keys: String) -> String? {
      #expect(throws: InputError.self) { try file.experiment(from: testing(keys)) }?.description
    }
    #expect(
      failure("bears: [guide.34]")
        == "mine.yml:15: unknown sentence 'guide.34'; did you mean 'guide.33'? (see the command documents)")
    #expect(failure("bears: [guide.33, guide.33]") == "mine.yml:15: sentence 'guide.33' appears twice")
    #expect(
      failure("bears: [guide.33]\n    contradicts: [guide.33]")
        == "mine.yml:16: a claim cannot bear out 'guide.33' and contradict it")
    #expect(
      failure("contradicts: [guide.36]")
        == "mine.yml:15: 'guide.36' states a possibility, which a lack of occurrences does not contradict")
    #expect(failure("of: lessons") == "mine.yml:15: of: found 'lessons'; did you mean 'lesson'? (allowed: lesson)")
    #expect(
      failure("bears: [guide.33]\n    of: lesson")
        == "mine.yml:16: a claim of the lesson alone tests no sentence of the documents")
  }

  @Test(arguments: [
    (
      "{id: other.1, says: so, place: p, said: may, word: may, conditions: [one]}",
      "'other.1' is not a sentence of 'guide'"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: [one]}, {id: guide.1, says: so, place: p, said: may, word: may, conditions: [one]}",
      "'guide.1' appears twice"
    ),
    (
      "{id: guide.1, says: so, place: p, said: often, word: often}",
      "said: found 'often' (allowed: always, usually, may, recipe)"
    ),
    (
      "{id: guide.1, says: so, place: p, word: may}",
      "'guide.1' needs either 'said' (the strength of the sentence) or 'reason' (why no scenario can try the sentence)"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: [one], reason: no}",
      "'guide.1' needs either 'said' (the strength of the sentence) or 'reason' (why no scenario can try the sentence)"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: [one], stand-in: {linus: ours}}",
      "stand-in: unknown system 'linus'; did you mean 'linux'?"
    ),
    ("{id: guide.1}", "the key 'says' is missing"), ("{id: guide.1, says: so}", "the key 'place' is missing"),
    ("{id: guide.1, says: so, place: p, said: may}", "the key 'word' is missing"),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may}",
      "'guide.1' needs 'conditions': found none, expected a list of the configurations in which it was tried"
    ),
    (
      "{id: guide.1, says: so, place: p, reason: no, word: may, conditions: [one]}",
      "'guide.1' has a reason why no scenario can try the sentence: found 'conditions', expected none"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: one}",
      "conditions: expected a list, found 'one'"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: [one, one]}",
      "conditions: 'one' appears twice"
    ),
    (
      "{id: guide.1, says: so, place: p, said: may, word: may, conditions: [one], today: [guide.1]}",
      "today: 'guide.1' is not a sentence of today's documents"
    ),
  ])
  func `an invalid sentence of a document is refused with the reason`(_ sentences: String, _ message: String) {
    let yaml = "documents: [{document: guide, title: t, sentences: [\(sentences)]}]"
    let error = #expect(throws: InputError.self) { try SourceDocuments(place: "documents.yml", yaml: yaml) }
    #expect(error?.description == "documents.yml:1: \(message)")
  }

  @Test func `a document of an unknown era is refused`() {
    let error = #expect(throws: InputError.self) {
      try SourceDocuments(
        place: "documents.yml", yaml: "documents: [{document: guide, title: t, era: nwo, sentences: []}]")
    }
    #expect(error?.description == "documents.yml:1: era: found 'nwo'; did you mean 'now'? (allowed: then, now)")
  }

  @Test func `a file that is not a mapping is refused`() {
    #expect(failure("") == "mine.yml: the file is empty")
    #expect(failure("- 1") == "mine.yml:1: a scenario file: expected keys and values, found a list")
    #expect(failure("hello") == "mine.yml:1: a scenario file: expected keys and values, found 'hello'")
  }

  @Test func `a parameter that is both swept and set is refused`() {
    #expect(
      failure(Self.good.replacing("{work: 2ms,", with: "{stride: 3,"))
        == "mine.yml:10: 'stride' is both a parameter and swept")
  }

  @Test(arguments: [
    ("title: A: b", "3: not valid YAML: a text has ': ' in it: put it in quotes"),
    ("claims:\n\t- says: x", "4: not valid YAML: a line begins with a tab: indent with spaces"),
    ("title: \"A", "a quote is not closed"), ("tags: [a, b", "a list is not closed"),
    ("title: @a", "a text begins with a sign of YAML's own"), ("parameters: {a: 1", "a mapping is not closed"),
    (
      "title: \"A\" b",
      "a line is not indented like those it belongs to, or a quoted text is followed by other text"
    ),
  ])
  func `YAML errors are explained in words`(_ line: String, _ words: String) {
    let error = #expect(throws: InputError.self) {
      try ScenarioReader(place: "mine.yml", patterns: []).experiment(
        from: "scenario: a\npattern: b\n\(line)\nsource: s\n")
    }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }
}
