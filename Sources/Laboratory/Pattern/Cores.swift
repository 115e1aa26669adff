import Platform

/// A setting that every pattern has without declaring it: the number of cores that a trial may use. The lab confines
/// the worker to these cores when it starts the worker. A run without a value is not confined.
public enum Cores {
  /// The name of the setting.
  public static let name = "cores"
  /// A core besides the one of the caller, which a trial may lack (``Trial/lacks(_:)``).
  public static let second = "a second core"
  /// The value that stands for all cores that the machine allows.
  static let all = "all"

  /// The parameter of the setting.
  static let parameter = Parameter(
    name, .cores(most: 1 << 20, all: all), default: .text(all), "cores that trials are confined to, or all")

  /// Returns the number of cores that a value stands for, on a machine that allows `most`.
  static func number(_ value: ParameterValue, of most: Int) -> ParameterValue {
    value == .text(all) ? .integer(most) : value
  }

  /// Returns the number of cores that trials with these settings are confined to; nil if they are not confined.
  public static func number(in parameters: [String: ParameterValue]) -> Int? {
    if case .integer(let cores)? = parameters[name] { cores } else { nil }
  }
}

extension Run {
  /// The number of cores that the trials are confined to; nil if they are not confined.
  public var cores: Int? { Cores.number(in: parameters) }
}

extension Machine {
  /// Returns the machine that a trial sees if it is confined to `cores`. The machine is unchanged if the trial is not
  /// confined or the machine has no more cores.
  public func confined(to cores: Int?) -> Machine {
    guard let cores, cores < self.cores else { return self }
    var confined = self
    // Dispatch counts the cores that it may use, or those online, as under `taskset`.
    confined.poolWidth = poolWidth ?? self.cores
    confined.cores = cores
    confined.confinedTo = Array((confinedTo ?? Array(0..<self.cores)).prefix(cores))
    return confined
  }

  /// The largest number of cores that the trials of a run used.
  public var usedCores: Int { confinedTo?.count ?? cores }

  /// Returns why no trial can be confined to `cores`; nil if it can.
  fileprivate func obstacle(toConfining cores: Int?) -> String? {
    guard let cores, cores != self.cores else { return nil }
    if cores > self.cores {
      return "\(cores) cores are requested, there \(self.cores == 1 ? "is 1" : "are \(self.cores)")"
    }
    return os == "Linux" ? nil : "\(os) has no call that confines a process to some of its cores"
  }
}

extension PatternDescription {
  /// Returns why `run` cannot be tried on `machine`; nil if it can. The needs of its variant apply to the cores that
  /// the run may use.
  public func obstacle(to run: Run, on machine: Machine) -> String? {
    machine.obstacle(toConfining: run.cores) ?? obstacle(to: run.variant, on: machine.confined(to: run.cores))
  }
}
