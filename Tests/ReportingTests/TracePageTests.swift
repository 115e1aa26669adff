import LabTesting
import Laboratory
import Testing

@testable import Reporting

/// Tests of the pictures of traces in pages, which show what was recorded.
@Suite struct TracePageTests {
  private struct Drawn {
    let kind: String
    let left: Double
    let width: Double
    let says: String
  }

  /// Returns the rectangles of a page, in order.
  private func drawn(_ html: String) -> [Drawn] {
    html.matches(of: /<rect class="([^"]*)" x="([0-9.]+)%" width="([0-9.]+)%"[^>]*>(?:<title>([^<]*)<\/title>)?/).map {
      Drawn(kind: String($0.1), left: Double($0.2) ?? -1, width: Double($0.3) ?? -1, says: $0.4.map(String.init) ?? "")
    }
  }

  /// Returns the position of a time span in the sample's picture. The picture begins a twentieth of the time before the
  /// first submission, at 235 us.
  private func place(_ begin: Double, _ end: Double) -> [Double] {
    let (left, right) = (max(0, begin - 0.235) / 9.765 * 100, (end - 0.235) / 9.765 * 100)
    return [(left * 10).rounded() / 10, ((right - left) * 10).rounded() / 10]
  }

  @Test func `every block, wait and running interval is drawn once, at its time`() {
    let trace = Trace.sample
    let marks = drawn(TracePage.render([trace]))
    func places(_ prefix: String) -> [[Double]] {
      marks.filter { $0.says.hasPrefix(prefix) }.map {
        [($0.left * 10).rounded() / 10, ($0.width * 10).rounded() / 10]
      }
    }
    #expect(
      places("lab.serial 1 (async): 1.10 ms to 4 ms, 2.90 ms; submitted by caller 400 us before") == [place(1.1, 4)])
    #expect(places("lab.serial 2 (async): ") == [place(4, 6.9)])
    #expect(places("lab.both 1 (async, barrier): ") == [place(3.1, 9.3)])
    #expect(places("waits for the group: ") == [place(0.9, 9.5)])
    #expect(places("waits for a semaphore: ") == [place(3.2, 7.2)])
    #expect(places("runs on core").count == trace.lanes.reduce(0) { $0 + $1.runs.count })
    #expect(places("runs on core 0: 0 ns to 1 ms") == [place(0.235, 1)])
    #expect(places("runs on core 1: 1 ms to 3 ms, 2 ms, then preempted") == [place(1, 3)])
    #expect(places("preempted: ") == [place(3, 3.5)])
    #expect(places("submits lab.both 2 at 850 us, which never began").count == 1 && places("submits ").count == 4)
    // A pool thread without work is idle, and not drawn as waiting.
    #expect(places("waits ").count == 2)
  }

  @Test func `a page needs no other file, and HTML code in a name is displayed as text`() {
    var trace = Trace.sample
    trace.queues[0].label = "<script>alert('x')</script>"
    trace.variant = "a\u{202e}b"
    let html = TracePage.render([trace])
    for word in ["http://", "https://", "<script", "<link", "src=", "@import"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(html.contains("A &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;, serial") && html.contains("a\\u{202e}b"))
    for match in html.matches(of: /url\(([^)]*)\)/) {
      let name = match.1.dropFirst()
      #expect(match.1.first == "#" && html.contains("id=\"\(name)\""), "\(match.1)")
    }
  }

  @Test func `many blocks are drawn as groups with their number, and no block is added or lost`() {
    var trace = Trace.sample
    trace.length = 100_000_000
    trace.blocks = (0..<100_000).map { index in
      let begin = UInt64(index) * 1000
      return Trace.Block(
        .apply, queue: 0, number: index + 1, submitted: 0, submitter: 0, lane: index % 2 * 2, begin: begin,
        end: begin + 500)
    }
    // One block is much longer than the others.
    trace.blocks[50_000].end = 52_000_000
    trace.blocks.removeSubrange(50_001..<52_000)
    let html = TracePage.render([trace])
    #expect(html.utf8.count < 2_000_000)
    let blocks = drawn(html).filter { $0.kind.hasPrefix("q") }
    let folded = blocks.compactMap { mark in
      mark.says.firstMatch(of: /^([0-9]+) blocks of lab\.serial/).flatMap { Int($0.1) }
    }
    let single = blocks.filter { $0.says.hasPrefix("lab.serial ") }
    #expect(folded.reduce(0, +) + single.count == trace.blocks.count)
    #expect(single.contains { $0.says.hasPrefix("lab.serial 50001 (apply): 50 ms to 52 ms") })
    // Each lane has a block every two microseconds, which takes half a microsecond.
    #expect(blocks.contains { $0.says.contains(": 12.5 ms of the time from 0 ns to 50.0 ms") })
  }

  @Test func `the number of marks on a page is limited for any trace`() {
    var trace = Trace.sample
    trace.length = 1_000_000
    trace.lanes = (0..<200).map { number in
      Trace.Lane(
        thread: number, name: "pool \(number)", kind: .pool, begin: 0,
        runs: (0..<200).map {
          Trace.RunInterval(begin: UInt64($0) * 5000, end: UInt64($0) * 5000 + 1000, core: 0, isPreempted: true)
        },
        waits: (0..<200).map { Trace.Wait(begin: UInt64($0) * 5000, end: UInt64($0) * 5000 + 1000, for: .lock) })
    }
    trace.blocks = []
    let html = TracePage.render([trace])
    #expect(html.utf8.count < 2_000_000 && drawn(html).count < 3000)
    #expect(html.contains("180 more<small>"))
    #expect(TracePage.render(Array(repeating: trace, count: 5)).utf8.count < 3_000_000)
  }

  @Test func `unknown times are drawn as unknown and explained`() {
    var trace = Trace.sample
    trace.gaps = [Trace.Gap(.calls, begin: 2_000_000, end: 2_500_000, lost: 17)]
    trace.missing = [Trace.Missing(.scheduler, why: "which thread ran where is not seen")]
    let html = TracePage.render([trace])
    let unknown = drawn(html).filter { $0.kind.hasPrefix("unknown") }
    #expect(
      unknown.contains { $0.says == "not known: 17 events lost, 2 ms to 2.50 ms" })
    #expect(unknown.filter { $0.says == "not known: which thread ran where is not seen" }.count == 3)
    #expect(html.contains("<p class=\"care\">which thread ran where is not seen</p>"))
    #expect(html.contains("<p class=\"care\">17 events of blocks and waits were lost"))
    #expect(!html.contains("cores busy") && html.contains("backlog"))
    trace.missing = [Trace.Missing(.calls, why: "none is seen")]
    #expect(!TracePage.render([trace]).contains("<span class=\"lane\">backlog"))
  }

  @Test func `the pictures of a variant share a scale, and the picture of a hang ends soon after its last event`() {
    var (short, hung) = (Trace.sample, Trace.sample)
    short.length = 5_000_000
    hung.variant = "stuck"
    hung.length = 1_000_000_000
    hung.end = .hung
    hung.lanes[0].runs.removeLast()
    hung.lanes[0].waits[0].end = nil
    let html = TracePage.render([short, .sample, hung])
    let first = drawn(html).filter { $0.says.hasPrefix("lab.serial 1 ") }
    #expect(first.count == 3 && first[0].width / first[1].width > 0.98 && first[0].width / first[1].width < 1.02)
    // The last event is at 9.4 ms, and a third of that time is drawn after it.
    #expect(abs(first[2].width - 2.9 / 12.425 * 100) < 0.01)
    #expect(html.contains("nothing more happens until 1 s, when the lab ends it"))
  }

  @Test func `a part of a trial can be drawn alone`() {
    let html = TracePage.render([.sample], from: 4_000_000, to: 8_000_000)
    let marks = drawn(html)
    let second = marks.first { $0.says.hasPrefix("lab.serial 2 ") }
    #expect(second.map { [$0.left, $0.width] } == [0, 72.5])
    #expect(!marks.contains { $0.says.hasPrefix("submits ") || $0.says.contains("core 0: 0 ns to 1 ms") })
    #expect(html.contains(">5 ms</text>") && !html.contains(">3 ms</text>") && html.contains(">8 ms</text>"))
  }

  @Test func `Markdown has the pictures of the terminal, and no label ends their code block`() {
    var trace = Trace.sample
    trace.queues[0].label = "```\u{1b}[31m"
    let text = MarkdownReport.render([trace], from: nil, to: nil)
    #expect(text.hasPrefix("## sample: traces\n\n````text\n") && text.hasSuffix("\n````\n") && text.contains("pool 1"))
    #expect(!text.contains("\u{1b}"))
  }

  @Test func `the page of an empty trace contains the reason for its end and no picture`() {
    let trace = Trace(scenario: "sample", variant: "none", cores: [0], length: 0, end: .other("no threads"))
    let html = TracePage.render([trace])
    #expect(html.contains("no threads") && !html.contains("<rect class=\"q"))
    for word in ["nan", "inf"] { #expect(!html.contains("\"\(word)")) }
  }
}
