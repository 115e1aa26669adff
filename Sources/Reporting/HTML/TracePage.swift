import Laboratory

/// Traces as a self-contained HTML page. The page contains no scripts, loads nothing from the network, and adapts to
/// light and dark mode and to any width.
public enum TracePage {
  /// The approximate maximum number of marks in all pictures of a page. A mark takes about 200 bytes.
  static let mostMarks = 8000

  /// Returns the HTML page of some traces, with a section for each scenario.
  ///
  /// - Parameters:
  ///   - traces: the traces.
  ///   - from: the beginning of the time span in the pictures, in nanoseconds; nil to begin shortly before the first
  ///     submission of a block.
  ///   - to: the end of the time span in the pictures, in nanoseconds; nil for the end of each trace, or shortly after
  ///     the last event of a hang.
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
