import Laboratory
import Measurement
import Testing

@testable import Reporting

@Suite struct HTMLTests {
  private func page(_ results: Results) throws -> String { HTMLReport.render([results.content]) }

  @Test func `HTML code in a name is displayed as text`() throws {
    let html = try page(
      Fixture.results([("<script>alert('x')</script>", [[10, 20]])], warnings: ["a < b & \"c\"\u{7}"]))
    #expect(!html.contains("<script"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
    #expect(html.contains("a &lt; b &amp; &quot;c&quot;\\u{7}"))
  }

  @Test func `a page has tables, claims and charts`() throws {
    let html = try page(Fixture.pair)
    for part in [
      "<th>slow</th>", "vs slow", "violated", "Nothing is left out.", "a word of care", "percentiles of elapsed",
      "distribution of elapsed", "<polyline points=\"", "light-dark(",
      "<p class=\"quiet\">±: simultaneous 99 % confidence intervals of the ratios of paired rounds, whose mean can differ from the quotient of the medians</p>",
    ] { #expect(html.contains(part), "\(part)") }
    #expect(!html.contains("~ within") && !html.contains("● best mean") && !html.contains("too few"))
  }

  @Test func `a page shows the settings, the command and the lesson`() throws {
    var results = Fixture.pair
    results.command = ["scenario", "fixture", "--export", "my page.html"]
    var html = try page(results)
    #expect(html.contains("<p class=\"quiet\">stride 1</p>"))
    #expect(html.contains("<code>gcdlab scenario fixture --export &#39;my page.html&#39;</code>"))
    #expect(!html.contains("<details"))
    let taught = Experiment(
      name: "fixture", pattern: results.experiment.pattern, title: "", source: "", lesson: "Do **this**.",
      variants: results.experiment.variants, show: ["elapsed"])
    html = try page(Results(experiment: taught, machine: Fixture.machine, seed: 1, started: "", runs: results.runs))
    #expect(html.contains("<details><summary>The lesson</summary>\n<p>Do <strong>this</strong>.</p>\n</details>"))
  }

  @Test func `histograms have names, and charts have the figures of the tables`() throws {
    #expect(try page(Fixture.pair).contains(/<text class="name"[^>]*>fast<\/text>/))
    // Five rounds take 1 us and one takes a second. The point is the median, and neither the mean nor an end of its
    // interval.
    let swept = try Fixture.compared([("stride", [1, 4])], isComparison: false) { _, round, _ in round == 3 ? 1e9 : 1000
    }
    let html = try page(swept)
    #expect(html.contains("<title>apply, stride=4: 1 us</title>") && html.contains("medians over the rounds"))
    #expect(!html.contains("class=\"bar\""))
  }

  @Test func `a page of a run without figures mentions that nothing was measured`() throws {
    let none = try page(Fixture.results([("a", [[]])], outcome: .unavailable(reason: "no threads")))
    #expect(none.contains("Nothing was measured.") && !none.contains("<svg"))
    // The outcomes of the trials are known nevertheless.
    let hung = try page(Fixture.results([("a", [[]])], outcome: .hung))
    #expect(hung.contains("Nothing was measured.") && hung.contains(">hung: 100.0 %</text>"))
  }

  @Test func `every figure on a page is a finite number`() throws {
    for figures in [[[1]], [[5, 5, 5]], [(0..<40).map { UInt64($0) }], [[0]], [[3_600_000_000_000]]] as [[[UInt64]]] {
      let html = try page(Fixture.results([("a", figures), ("b", figures)], baseline: "a"))
      for word in ["nan", "inf", "-0."] {
        #expect(!html.contains("\"\(word)") && !html.contains(" \(word)"), "\(word)")
      }
    }
  }

  @Test(arguments: [
    ("\"clockRead\": 21", "\"clockRead\": -1", "x: machine.clockRead: found -1, expected 0 to 1e15"),
    ("\"seconds\": 1.5", "\"seconds\": 1e300", "x: seconds: found 1e300, expected 0 to 1e15"),
    (
      "\"mean\": 5", "\"mean\": 1e300", "x: runs[0].metrics.elapsed.mean: found 1e+300, expected -1e36 to 1e36"
    ),
  ])
  func `a document with values that no run can have is refused`(_ was: String, _ now: String, _ message: String) throws
  {
    let json = try JSONReport.render([Fixture.results([("a", [[5]])]).document])
    #expect(json.contains(was))
    let error = #expect(throws: InputError.self) {
      try ResultDocument.parse(Array(json.replacing(was, with: now).utf8), place: "x")
    }
    #expect(error?.description == message)
  }

  @Test func `axes have a few round ticks`() {
    #expect(Axis([0, 10], .none).ticks.map(\.label) == ["0", "2", "4", "6", "8", "10"])
    #expect(Axis([1000, 5_000_000], .nanoseconds).isLog)
    for values in [[1.0, 1], [0.001, 0.002], [5e9, 5.1e9], [0, 1e-9], [3, 20]] as [[Double]] {
      let axis = Axis(values, .none)
      #expect((1...12).contains(axis.ticks.count), "\(values): \(axis.ticks)")
      #expect(values.allSatisfy { (0...1).contains(axis.position($0)) })
    }
  }
}
