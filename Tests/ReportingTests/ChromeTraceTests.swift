import LabTesting
import Laboratory
import Testing

@testable import Reporting

/// Tests of traces in the Chrome trace event format, which are read back as a viewer reads them.
@Suite struct ChromeTraceTests {
  /// A Chrome trace event.
  private struct Event {
    let fields: JSONValue

    func text(_ key: String) -> String? { if case .text(let text)? = fields[key] { text } else { nil } }
    func number(_ key: String) -> Double? { if case .number(let number)? = fields[key] { number } else { nil } }
    var phase: String { text("ph") ?? "" }
    var name: String { text("name") ?? "" }
    var category: String { text("cat") ?? "" }
    /// The beginning of the event, in nanoseconds.
    var begin: Double { ((number("ts") ?? -1) * 1000).rounded() }
    var end: Double { begin + ((number("dur") ?? 0) * 1000).rounded() }
    var track: Double { number("tid") ?? -1 }
  }

  private func events(_ traces: [Trace]) throws -> [Event] {
    guard case .list(let events)? = try JSONValue(ChromeTrace.render(traces))["traceEvents"] else {
      Issue.record("no list of events")
      return []
    }
    return events.map(Event.init)
  }

  /// Returns the numbers of the tracks by the names of their threads.
  private func tracks(_ events: [Event]) -> [String: Double] {
    Dictionary(
      events.filter { $0.name == "thread_name" }.compactMap { event in
        if case .text(let name)? = event.fields["args"]?["name"] { (name, event.track) } else { nil }
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `every lane, block, wait and running interval has one event, with its track and its time`() throws {
    let (sample, events) = (Trace.sample, try events([.sample]))
    let tracks = tracks(events)
    let spans = events.filter { $0.phase == "X" }
    var expected: [String] = []
    for lane in sample.lanes {
      let track = try #require(tracks[lane.name]), cores = try #require(tracks["\(lane.name): runs on"])
      expected.append("\(lane.name) \(track) \(Double(lane.begin)) \(Double(lane.end ?? sample.length))")
      expected += lane.waits.map {
        "wait: \($0.reason.rawValue) \(track) \(Double($0.begin)) \(Double($0.end ?? sample.length))"
      }
      expected += lane.runs.map { "core \($0.core) \(cores) \(Double($0.begin)) \(Double($0.end))" }
    }
    for block in sample.blocks {
      guard let lane = block.lane, let begin = block.begin else { continue }
      let track = try #require(tracks[sample.lanes[lane].name])
      expected.append(
        "\(sample.queues[block.queue].label) \(block.number) \(track) \(Double(begin)) \(Double(block.end ?? sample.length))"
      )
    }
    #expect(spans.map { "\($0.name) \($0.track) \($0.begin) \($0.end)" }.sorted() == expected.sorted())
    #expect(spans.first { $0.name == "lab.both 1" }?.fields["args"]?["barrier"] == .bool(true))
    #expect(spans.first { $0.name == "lab.serial 1" }?.category == "async")
    #expect(spans.filter { $0.fields["args"]?["preempted"] != nil }.map(\.begin) == [1_000_000])
  }

  @Test func `a flow leads from each submission to its start, and never back in time`() throws {
    let events = try events([.sample])
    let (from, to) = (events.filter { $0.phase == "s" }, events.filter { $0.phase == "f" })
    #expect(from.map(\.begin) == [700_000, 750_000, 800_000] && to.map(\.begin) == [1_100_000, 4_000_000, 3_100_000])
    #expect(from.map { $0.number("id") } == to.map { $0.number("id") })
    #expect(Set(from.map { $0.number("id") }).count == 3 && to.allSatisfy { $0.text("bp") == "e" })
    let tracks = tracks(events)
    #expect(from.allSatisfy { $0.track == tracks["caller"] })
    #expect(to.map(\.track) == ["pool 1", "pool 1", "pool 2"].map { tracks[$0] ?? -2 })
    // The fourth block never began: its submission is an event without a flow.
    let lone = events.filter { $0.phase == "i" }
    #expect(lone.map(\.name) == ["never began: lab.both 2"] && lone.map(\.begin) == [850_000])
  }

  @Test func `the counters are calculated from the blocks, threads and running intervals`() throws {
    let events = try events([.sample])
    func steps(_ name: String) -> [String] {
      events.filter { $0.phase == "C" && $0.name == name }.map { event in
        guard case .number(let count)? = event.fields["args"]?["count"] else { return "?" }
        return "\(Int(event.begin / 1000)):\(Int(count))"
      }
    }
    #expect(
      steps("cores busy")
        == [
          "0:1", "1000:1", "3000:1", "3200:0", "3500:1", "7000:0", "7200:1", "9400:0", "9500:1", "10000:0",
        ].filter { !["1000:1", "3000:1"].contains($0) })
    #expect(
      steps("backlog") == ["0:0", "700:1", "750:2", "800:3", "850:4", "1100:3", "3100:2", "4000:1", "10000:1"])
    #expect(steps("threads") == ["0:2", "100:1", "800:2", "900:3", "10000:3"])
  }

  @Test func `unknown times have events that name the missing record`() throws {
    var trace = Trace.sample
    trace.gaps = [Trace.Gap(.calls, begin: 2_000_000, end: 2_500_000, lost: 17)]
    trace.missing = [Trace.Missing(.scheduler, why: "which thread ran where is not seen")]
    trace.end = .trapped(signal: 5)
    trace.blocks[1].end = nil
    trace.lanes[2].waits[0].end = nil
    let events = try events([trace])
    let tracks = tracks(events)
    let unknown = events.filter { $0.category == "unknown" }
    #expect(unknown.map(\.name) == ["17 events lost", "which thread ran where is not seen"])
    #expect(unknown.map { [$0.begin, $0.end] } == [[2_000_000, 2_500_000], [0, 10_000_000]])
    #expect(
      unknown.map(\.track) == ["blocks and waits", "which thread ran where"].map { tracks["not known: \($0)"] ?? -2 })
    #expect(!events.contains { $0.category == "core" || $0.name == "cores busy" })
    for name in ["lab.serial 2", "wait: work"] {
      let open = try #require(events.first { $0.name == name })
      #expect(open.end == 10_000_000 && open.fields["args"]?["ended"] == .text("not by the end of the record"))
    }
    let process = try #require(events.first { $0.name == "process_name" })
    #expect(process.fields["args"]?["name"] == .text("sample group-wait (trapped: SIGTRAP)"))
  }

  @Test func `several traces share no track number, and special characters in names are kept`() throws {
    var other = Trace.sample
    other.variant = "quote\"back\\slash\u{202e}\n"
    other.point = "tasks=4"
    other.queues[0].label = "é\u{7f}"
    let events = try events([.sample, other])
    let processes = Set(events.compactMap { $0.number("pid") })
    #expect(processes.count == 2)
    let tracks = Dictionary(grouping: events.filter { $0.track >= 0 }) { $0.track }
    #expect(tracks.values.allSatisfy { Set($0.compactMap { $0.number("pid") }).count == 1 })
    #expect(processes.isDisjoint(with: tracks.keys))
    #expect(Set(events.filter { $0.phase == "s" }.compactMap { $0.number("id") }).count == 6)
    #expect(
      events.contains { $0.fields["args"]?["name"] == .text("sample quote\"back\\slash\u{202e}\n[tasks=4]") })
    #expect(events.contains { $0.name == "é\u{7f} 1" })
    #expect(!ChromeTrace.render([other]).unicodeScalars.contains { $0 != "\n" && $0.isHidden })
  }

  @Test(arguments: [(0, "0"), (1, "0.001"), (1000, "1"), (1_234_567, "1234.567"), (50_010, "50.010"), (100, "0.100")])
  func `times in microseconds are exact to the nanosecond`(_ nanoseconds: UInt64, _ text: String) {
    var trace = Trace.sample
    trace.blocks[0].submitted = nil
    trace.blocks[0].begin = nanoseconds
    #expect(
      ChromeTrace.render([trace]).contains(
        "\"name\": \"lab.serial 1\", \"cat\": \"async\", \"pid\": 1, \"tid\": 6, \"ts\": \(text),"))
  }
}
