import Laboratory

/// Traces as one self-contained page: no scripts, nothing from the network, light and dark, wide and narrow.
public enum TracePage {
  /// The largest number of marks in a page, whatever the number of its pictures. A mark takes about 200 bytes.
  static let mostMarks = 8000

  /// Returns the page of some traces, with a section for each scenario. `from` and `to`, in nanoseconds, limit the
  /// pictures to a part of the time.
  public static func render(_ traces: [Trace], from: UInt64? = nil, to: UInt64? = nil) -> String {
    let scenarios = traces.grouped(by: \.scenario)
    let sections = scenarios.map { name, traces -> Markup in
      let origin =
        traces.contains { $0.program == nil }
        ? TracePicture.ofTrials : "a recorded program"
      return """
        <section id="\(name)"><h1>\(name) <small>\(origin)</small></h1>
        \(TracePicture.figures(traces.map { ($0, nil) }, from: from, to: to, atMost: mostMarks / scenarios.count))</section>

        """
    }
    let title = scenarios.count > 3 ? "\(scenarios.count) scenarios" : scenarios.map(\.key).joined(separator: ", ")
    return HTMLReport.page("\(title), traced", style: TraceKey.style, patterns: TraceKey.patterns, "\(sections)")
  }
}
