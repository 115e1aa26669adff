import Histogram
import Measurement
import Laboratory

/// Latency distributions in the text format that the HdrHistogram plotter reads (`.hgrm`), in nanoseconds.
public enum PercentileReport {
  /// Returns the distribution of every shown latency, with a name that distinguishes it
  /// (`wait-last-leave-on=pool-call`). The plotter requires a file for each.
  public static func distributions(_ documents: [ResultDocument]) -> [(name: String, text: String)] {
    documents.flatMap { document in
      let scenario = document.scenario
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
            documents.count > 1 ? scenario.name : "", run.variant, settings.joined(separator: ","), metric,
          ]
          // The name becomes that of a file in the given directory. A `/` in it would lead to another directory.
          return (parts.filter { !$0.isEmpty }.joined(separator: "-").replacing("/", with: "-").inLine, text)
        }
      }
    }
  }
}

extension SampleFacts {
  /// The histogram of all samples, with whole values.
  fileprivate var latencies: Histogram<UInt64> {
    LatencyHistogram(
      pairs: histogram.map { pair in
        // A document may contain values that no clock gives.
        let value = Swift.min(Swift.max(pair.value.value.rounded(), 0), Double(LatencyHistogram.highestValue))
        return [UInt64(value), UInt64(pair.count)]
      }
    ).histogram
  }
}
