import Laboratory
import Measurement

extension Machine {
  /// A machine with fixed facts for tests.
  public static let test = Machine(
    os: "Linux", kernel: "6.1.0", cpu: "Test CPU", cores: 2, memory: 1 << 30, swift: "6.3", optimised: true,
    descriptorLimit: 1024, threadLimit: nil, clockRead: 21, floor: 45, work: CalibratedWork(stepsPerMicrosecond: 700))
}
