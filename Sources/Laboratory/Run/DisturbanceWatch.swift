import Measurement
import Platform

/// A measurement of the processor time that other programs and the hypervisor take from the cores of a run. The
/// measurement starts when the value is created.
struct DisturbanceWatch {
  private let cores: [Int]
  private let timesAtStart: ProcessorTimes?
  private let ownTimeAtStart = Host.ownProcessorTime

  /// The largest share of the cores' time that other programs may take without a warning, and the largest share of
  /// trials that may have no second core available. The hypervisor may take half of this share. The loss of a tenth is
  /// enough to change a median.
  private static let tolerated = 0.1

  /// Starts to measure the cores that trials on a machine may use.
  init(_ machine: Machine) {
    cores = machine.confinedTo ?? Host.coreNumbers
    timesAtStart = Host.processorTimes(of: cores)
  }

  /// Returns warnings for readers of the figures: about a debug build, and about disturbances since the start. The
  /// array is empty if there is nothing to warn about.
  ///
  /// - Parameter shortages: the number of trials for which no second core was available, and the number of trials on
  ///   several cores.
  func warnings(_ machine: Machine, shortages: (count: Int, trials: Int)) -> [RunNote] {
    var warnings: [RunNote] = []
    if !machine.optimised {
      warnings.append(
        RunNote("debug-build", "debug build: timings are meaningless; use a release build (swift build -c release)"))
    }
    guard let timesAtStart, let ended = Host.processorTimes(of: cores), ended.total > timesAtStart.total else {
      return warnings + Self.warnings(stolen: 0, others: 0, of: cores.count, shortages: shortages)
    }
    // The numbers are signed, since the kernel's counters of waiting and stolen time sometimes decrease.
    func ticks(_ times: KeyPath<ProcessorTimes, UInt64>) -> Double {
      Double(ended[keyPath: times]) - Double(timesAtStart[keyPath: times])
    }
    let ownTicks = (Double(Host.ownProcessorTime) - Double(ownTimeAtStart)) / 1e9 * Host.ticksPerSecond
    return warnings
      + Self.warnings(
        stolen: ticks(\.stolen) / ticks(\.total), others: (ticks(\.busy) - ownTicks) / ticks(\.total), of: cores.count,
        shortages: shortages)
  }

  /// Returns the number of trials for which no second core was available, and the number of all trials. Trials that are
  /// confined to one core are not counted, since these trials need no second core.
  static func shortagesOfCore(_ runs: [VariantRun]) -> (count: Int, trials: Int) {
    let trials = runs.filter { $0.cores != 1 }.flatMap(\.trials)
    return (trials.count { $0.shortages.contains(Cores.second) }, trials.count)
  }

  /// Returns warnings about the processor time that the hypervisor and other programs took, as shares of the time of
  /// all `cores` cores, and about trials for which no second core was available.
  static func warnings(
    stolen: Double, others: Double, of cores: Int, shortages: (count: Int, trials: Int) = (0, 0)
  ) -> [RunNote] {
    func percent(_ share: Double) -> String { "\(Quantity.number((share * 100).rounded())) %" }
    let taken = max(0, stolen) + max(0, others)
    let isTaken = cores > 1 && taken > max(tolerated, 0.5 / Double(cores))
    let hasShortage = Double(shortages.count) > tolerated * Double(shortages.trials)
    if isTaken || hasShortage {
      let reasons = [
        hasShortage
          ? "\(shortages.count.withCommas) of \(shortages.trials.withCommas) trials found no second core" : nil,
        taken > tolerated
          ? "other programs\(stolen > tolerated / 2 ? " and the hypervisor" : "") took \(percent(taken)) of the time of "
            + "\(cores == 1 ? "the core" : "\(cores) cores")" : nil,
      ].compactMap(\.self)
      let isOneCore = hasShortage && 2 * shortages.count > shortages.trials
      // A report about the gain from several cores uses the first note to add that the run cannot measure this gain.
      return [RunNote(RunNote.coresTaken, "the cores were busy: \(reasons.joined(separator: ", and "))")]
        + (isOneCore ? [RunNote(RunNote.oneCore, "the comparisons of this run hold for one core only")] : [])
    }
    var warnings: [RunNote] = []
    if stolen > tolerated / 2 {
      warnings.append(RunNote("stolen-time", "the hypervisor took \(percent(stolen)) of the processor time away"))
    }
    if others > tolerated {
      warnings.append(
        RunNote(
          "busy-machine",
          "other programs used \(percent(others)) of the processor time: close them, or treat the figures with care"))
    }
    return warnings
  }
}
