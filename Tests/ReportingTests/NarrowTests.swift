import Testing

@testable import Reporting

/// Tests that a narrow terminal displays every word completely, and that the report names what it omits.
@Suite struct NarrowTests {
  @Test(arguments: [20, 40, 55, 80, 200])
  func `a list item with a name and a text breaks no word`(_ width: Int) {
    let style = TextStyle(width: width, color: false, unicode: true)
    let says = "News that is merged before anybody has come to hear of it"
    let lines = DescriptionList(column: 26, style: style).lines("custom-source", [(says, nil), ("data add", .quiet)])
    #expect(lines.allSatisfy { $0.displayWidth <= max(width, 24) }, "\(lines)")
    let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words == "custom-source \(says) data add")
    // The text is beside the name if there is room.
    #expect(lines[0].contains("News") == (width >= 56))
  }

  @Test(arguments: [20, 40, 80]) func `a long heading continues on the next line`(_ width: Int) {
    let style = TextStyle(width: width, color: false, unicode: true)
    let lines = Heading.lines("queue-deadlock", "Waiting for the queue one runs on", .quiet, style)
    #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
    #expect(
      lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        == "queue-deadlock Waiting for the queue one runs on")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") })
    #expect(Heading.lines("a", "", nil, style) == ["a"])
  }

  @Test func `a shortened label keeps its beginning and its end`() {
    let style = TextStyle(width: 80, color: false, unicode: true)
    let (pool, thread) = ("notify-background[last-leave-on=pool]", "notify-background[last-leave-on=thread]")
    #expect(pool.shortened(to: 20, style) == "notify-ba…e-on=pool]")
    #expect(thread.shortened(to: 20, style) != pool.shortened(to: 20, style))
    #expect("short".shortened(to: 20, style) == "short" && "longer".shortened(to: 2, style) == "l…")
    #expect("队列队列队列".shortened(to: 6, style).displayWidth <= 6)
  }

  @Test func `a line of a smoke run fits into the terminal`() {
    let content = Fixture.results([("a", [[1]])], judgements: []).content
    for width in [20, 40, 80] {
      let text = SmokeReport.line(content, strict: false, TextStyle(width: width, color: false, unicode: true))
      #expect(text.split(separator: "\n").allSatisfy { String($0).displayWidth <= width }, "\(text)")
    }
  }

  @Test func `the name of a signal depends on the system`() {
    #expect(SignalName.name("4", on: "Linux") == "SIGILL" && SignalName.name("4", on: "macOS") == "SIGILL")
    #expect(SignalName.name("10", on: "Linux") == "SIGUSR1" && SignalName.name("10", on: "macOS") == "SIGBUS")
    #expect(SignalName.name("64", on: "Linux") == "signal 64")
  }

  @Test func `variants with too few samples for a plot are named`() {
    let many = Fixture.rounds(6) { _ in ["elapsed": Array(repeating: 1000, count: 10)] }
    let few = Fixture.rounds(6) { _ in ["elapsed": [1000]] }
    let text = TerminalReport(TextStyle(width: 80)).render(Fixture.made([("plotted", many), ("rare", few)]).content)
    #expect(text.contains("distribution of elapsed  log scale; not drawn (fewer than 30 samples): rare\n"))
  }
}
