import Histogram
import Laboratory
import Measurement

/// Latency distributions in the text format that the HdrHistogram plotter reads (`.hgrm`), in nanoseconds.
public enum PercentileReport {
  /// The distribution of every shown latency with a name to tell it by (`wait-leaver=pool-held`): the plotter wants a file
  /// for each.
  public static func distributions(_ results: [Results]) -> [(name: String, text: String)] {
    results.flatMap { one in
      one.experiment.show.compactMap(one.experiment.pattern.metric).filter { $0.kind == .latency }.flatMap { metric in
        one.runs.compactMap { run -> (name: String, text: String)? in
          guard let histogram = run.measured(metric)?.histogram else { return nil }
          var text = "#[\(one.experiment.name) \(run.label) \(metric.name) in ns]\n"
          histogram.histogram.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
          let parts = [results.count > 1 ? one.experiment.name : "", run.variant.name, run.point.label, metric.name]
          return (parts.filter { !$0.isEmpty }.joined(separator: "-"), text)
        }
      }
    }
  }
}
