import Histogram
import Laboratory
import Measurement

/// Latency distributions in the text format that the HdrHistogram plotter reads (`.hgrm`), in nanoseconds.
public enum PercentileReport {
  /// Every recorded latency histogram, each behind a comment that names it.
  public static func render(_ results: [Results]) -> String {
    var text = ""
    for results in results {
      for metric in results.experiment.pattern.metrics where metric.kind == .latency {
        for run in results.runs {
          guard let histogram = run.measured(metric)?.histogram else { continue }
          text += "#[\(results.experiment.name) \(run.label) \(metric.name) in ns]\n"
          histogram.histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
          text += "\n"
        }
      }
    }
    return text
  }
}
