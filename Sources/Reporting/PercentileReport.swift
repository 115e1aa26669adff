import Histogram
import Measurement
import Laboratory

/// Distributions of latencies in the text format of the HdrHistogram plotter (`.hgrm`), in nanoseconds.
public enum PercentileReport {
  /// Returns the distribution of each shown latency of each run. The names, such as `wait-last-leave-on=pool-call`, are
  /// unique, since the plotter requires a file for each distribution. Several documents of a scenario are numbered.
  public static func distributions(_ documents: [ResultDocument]) -> [(name: String, text: String)] {
    var counts: [String: Int] = [:]
    return documents.flatMap { document in
      let scenario = document.scenario
      counts[scenario.name, default: 0] += 1
      let isRepeated = documents.count { $0.scenario.name == scenario.name } > 1
      let repetition = isRepeated ? "run\(counts[scenario.name] ?? 1)" : ""
      let index = RunIndex(document)
      let latencies = scenario.show.filter { name in
        scenario.metrics.contains { $0.name == name && $0.kind == .latency }
      }
      return latencies.flatMap { metric in
        document.runs.enumerated().compactMap { number, run -> (name: String, text: String)? in
          guard let samples = run.metrics[metric] else { return nil }
          var text = "#[\(scenario.name) \(index.labels[number]) \(metric) in ns]".inLine + "\n"
          samples.latencies.outputPercentileDistribution(to: &text, outputValueUnitScalingRatio: 1)
          let settings = index.swept.compactMap { parameter in run.point[parameter.name].map(parameter.label) }
          let parts = [
            documents.count > 1 ? scenario.name : "", repetition, run.variant, settings.joined(separator: ","), metric,
          ]
          // The name becomes part of a file name in the directory of the export. A `/` would change the directory.
          return (parts.filter { !$0.isEmpty }.joined(separator: "-").replacing("/", with: "-").inLine, text)
        }
      }
    }
  }
}

extension SampleFacts {
  /// The histogram of all samples, with values rounded to whole numbers.
  fileprivate var latencies: Histogram<UInt64> {
    LatencyHistogram(
      pairs: histogram.map { pair in
        // A document may contain values that are out of the range of a histogram.
        let value = Swift.min(Swift.max(pair.value.value.rounded(), 0), Double(LatencyHistogram.highestValue))
        return [UInt64(value), UInt64(pair.count)]
      }
    ).histogram
  }
}
