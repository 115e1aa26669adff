import Platform

/// The setting `cores` of every pattern: the number of cores that a trial may use. Patterns do not declare this
/// setting. The lab confines the worker to these cores when it starts the worker. A run without a value for `cores` is
/// not confined.
public enum Cores {
  /// The name of the setting.
  public static let name = "cores"
  /// The name of the feature that a trial lacks (``Trial/recordShortage(of:)``) if only the caller's core is available.
  public static let second = "a second core"
  /// The value that stands for all cores that the machine allows.
  static let all = "all"

  /// The description of the setting as a parameter.
  static let parameter = Parameter(
    name, .cores(most: 1 << 20, all: all), default: .text(all), "cores that trials are confined to, or all")

  /// Returns `value`, with `all` replaced by `most`, the number of usable cores.
  static func number(_ value: ParameterValue, of most: Int) -> ParameterValue {
    value == .text(all) ? .integer(most) : value
  }

  /// Returns the number of cores that trials with these settings are confined to; nil if the trials are not confined.
  public static func number(in parameters: [String: ParameterValue]) -> Int? { parameters[name]?.integer }
}

extension VariantRun {
  /// The number of cores that the trials are confined to; nil if the trials are not confined.
  public var cores: Int? { Cores.number(in: parameters) }
}

extension Machine {
  /// Returns the machine as a trial that is confined to `cores` cores observes the machine. Returns the machine
  /// unchanged if `cores` is nil or not less than the machine's number of cores.
  public func confined(to cores: Int?) -> Machine {
    guard let cores, cores < self.cores else { return self }
    var confined = self
    // Depending on the system, Dispatch counts the cores that it may use or the online cores, for example under
    // `taskset`.
    confined.poolWidth = poolWidth ?? self.cores
    confined.cores = cores
    confined.confinedTo = Array((confinedTo ?? Array(0..<self.cores)).prefix(cores))
    return confined
  }

  /// The largest number of cores that a trial of the run may use.
  public var usedCores: Int { confinedTo?.count ?? cores }

  /// Returns the reason why no trial can be confined to `cores`; nil if trials can be confined, or if `cores` is nil or
  /// all cores.
  fileprivate func obstacle(toConfining cores: Int?) -> String? {
    guard let cores, cores != self.cores else { return nil }
    if cores > self.cores {
      return "\(cores) cores are requested; there \(self.cores == 1 ? "is 1" : "are \(self.cores)")"
    }
    return os == "Linux" ? nil : "\(os) has no call that confines a process to some of its cores"
  }
}

extension PatternDescription {
  /// Returns the reason why `run` cannot be tried on `machine`; nil if the run can be tried. The requirements of the
  /// run's variant apply to the cores that the run may use.
  public func obstacle(to run: VariantRun, on machine: Machine) -> String? {
    machine.obstacle(toConfining: run.cores)
      ?? implementation.obstacle(to: run.variant, on: machine.confined(to: run.cores))
  }
}
