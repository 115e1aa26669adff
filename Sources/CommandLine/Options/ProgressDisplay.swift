import Laboratory
import Platform
import Reporting

/// The progress line on standard error, which is redrawn for each trial and erased before other output.
final class ProgressDisplay: RunObserver {
  let style: TextStyle
  private let scenario: String?

  /// Creates the progress line for the trials of a scenario. The line contains the name of the scenario unless the name
  /// is nil.
  init(of scenario: String? = nil, style: TextStyle) {
    self.scenario = scenario
    self.style = style
  }

  func trialStarts(_ run: VariantRun, _ progress: RunProgress) {
    let line = ProgressLine.render(progress, label: (scenario.map { $0 + ", " } ?? "") + run.label, style: style)
    try? writeAll("\r\u{1b}[K" + style.safe(line), to: STDERR_FILENO)
  }

  func timeIsTooShort(_ remark: String) {
    clear()
    Lab.printMessage(remark)
  }

  func clear() { try? writeAll("\r\u{1b}[K", to: STDERR_FILENO) }
}
