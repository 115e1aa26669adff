import Laboratory
import Measurement
import Platform
import Reporting
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The progress line on standard error, which is redrawn for each trial and erased before other output.
final class ProgressDisplay: RunObserver {
  let style: TextStyle
  private let start = Atomic(MonotonicClock.now())

  private let scenario: String?

  /// Creates the line for the trials of a scenario, which it names if the name is given.
  init(of scenario: String? = nil, style: TextStyle) {
    self.scenario = scenario
    self.style = style
  }

  func trialStarts(_ run: Run, round: Int, done: Int, total: Int) {
    // The remaining time is that of one run, and several may run in turn.
    if done == 0 { start.store(MonotonicClock.now(), ordering: .relaxed) }
    let line = ProgressLine.render(
      done: done, total: total, elapsed: Double(MonotonicClock.now() &- start.load(ordering: .relaxed)) / 1e9,
      label: (scenario.map { $0 + ", " } ?? "") + "round \(round + 1), \(run.label)", style: style)
    try? writeAll("\r\u{1b}[K" + style.safe(line), to: STDERR_FILENO)
  }

  func clear() { try? writeAll("\r\u{1b}[K", to: STDERR_FILENO) }
}
