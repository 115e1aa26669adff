import Measurement
import Platform

/// Observes, from its creation on, how much time other programs and the hypervisor took from this run.
struct DisturbanceWatch {
  private let started = Host.processorTimes
  private let ownStarted = Host.ownProcessorTime

  /// A tenth of the cores is enough to change a median.
  private static let tolerated = 0.1

  /// Returns warnings about the machine for readers of the figures.
  func warnings(_ machine: Machine) -> [Remark] {
    var warnings: [Remark] = []
    if !machine.optimised {
      warnings.append(
        Remark("debug-build", "debug build: timings are meaningless; use a release build (swift build -c release)"))
    }
    guard let started, let ended = Host.processorTimes, ended.total > started.total else { return warnings }
    // The numbers are signed, since the kernel's counters of waiting and stolen time sometimes decrease.
    func ticks(_ times: KeyPath<ProcessorTimes, UInt64>) -> Double {
      Double(ended[keyPath: times]) - Double(started[keyPath: times])
    }
    let total = ticks(\.total)
    let stolen = ticks(\.stolen) / total
    if stolen > Self.tolerated / 2 {
      warnings.append(
        Remark(
          "stolen-time",
          "the hypervisor took \(Quantity.number((stolen * 100).rounded())) % of the processor time away"))
    }
    let ownTicks = (Double(Host.ownProcessorTime) - Double(ownStarted)) / 1e9 * Host.ticksPerSecond
    let others = (ticks(\.busy) - ownTicks) / total
    if others > Self.tolerated {
      warnings.append(
        Remark(
          "busy-machine",
          "other programs used \(Quantity.number((others * 100).rounded())) % of the processor time: "
            + "close them, or treat the figures with care"))
    }
    return warnings
  }
}
