import Measurement
import Platform

extension Machine {
  /// Returns a description of this machine, with the measured noise floor and the speed of calibrated work. The
  /// measurements take about 50 ms.
  public static func current() -> Machine {
    var machine = unmeasured()
    machine.poolWidth = Host.onlineCores == Host.cores ? nil : Host.onlineCores
    machine.clockRead = NoiseFloor.clockRead()
    machine.floor = NoiseFloor.sample()
    machine.work = .calibrated()
    return machine
  }

  /// Returns a description of this machine without measurements: ``Machine/clockRead``, ``Machine/floor`` and the speed
  /// of ``Machine/work`` are 0. The description suffices to identify the machine.
  public static func unmeasured() -> Machine {
    let kernel = Host.kernel
    return Machine(
      os: kernel.name, kernel: kernel.release, cpu: Host.processorName, cores: Host.cores, memory: Host.memory,
      swift: swiftVersion, dispatch: Host.dispatchBuild, isStatic: Host.dispatchLibrary == nil, optimised: isOptimised,
      descriptorLimit: Host.descriptorLimit,
      threadLimit: Host.threadLimit, clockRead: 0, floor: 0, work: CalibratedWork(stepsPerMicrosecond: 0))
  }

  private static var isOptimised: Bool {
    var optimised = true
    // The condition of an assertion is evaluated only in debug builds.
    assert(
      {
        optimised = false
        return true
      }())
    return optimised
  }

  private static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}
