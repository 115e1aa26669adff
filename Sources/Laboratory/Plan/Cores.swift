import Platform

/// The setting that every pattern has, and no pattern declares: how many cores a trial may use. The lab starts its
/// worker confined to them. A run that says nothing of it is not confined.
public enum Cores {
  /// Its name.
  public static let name = "cores"
  /// The value that stands for as many as the machine allows.
  static let all = "all"

  /// What can be set.
  static let parameter = Parameter.cores(
    name, most: 1 << 20, all: all, "cores that trials are confined to, or all")

  /// The number that a value says on a machine that allows `most`.
  static func number(_ value: ParameterValue, of most: Int) -> ParameterValue {
    value == .text(all) ? .integer(most) : value
  }

  /// How many trials with these settings are confined to; nil where they are not.
  public static func number(in parameters: [String: ParameterValue]) -> Int? {
    if case .integer(let cores)? = parameters[name] { cores } else { nil }
  }
}

extension Run {
  /// How many cores its trials are confined to; nil where they are not.
  public var cores: Int? { Cores.number(in: parameters) }
}

extension Machine {
  /// The machine as a trial sees it that is confined to so many cores; itself where it is not, and where it has no
  /// more.
  public func confined(to cores: Int?) -> Machine {
    guard let cores, cores < self.cores else { return self }
    var confined = self
    // Dispatch goes by the cores it may use, or by those online, as under `taskset`.
    confined.poolWidth = poolWidth ?? self.cores
    confined.cores = cores
    confined.confinedTo = Array((confinedTo ?? Array(0..<self.cores)).prefix(cores))
    return confined
  }

  /// How many cores the trials of a run used at most.
  public var usedCores: Int { confinedTo?.count ?? cores }

  /// Why no trial can be confined to so many cores; nil when it can.
  fileprivate func obstacle(toConfining cores: Int?) -> String? {
    guard let cores, cores != self.cores else { return nil }
    if cores > self.cores {
      return "\(cores) cores are asked for, there \(self.cores == 1 ? "is 1" : "are \(self.cores)")"
    }
    return os == "Linux" ? nil : "\(os) has no call that confines a process to some of its cores"
  }
}

extension PatternDescription {
  /// Why `run` cannot be tried on `machine`, or nil when it can: what its variant needs is asked of the cores that it
  /// may use.
  public func obstacle(to run: Run, on machine: Machine) -> String? {
    machine.obstacle(toConfining: run.cores) ?? obstacle(to: run.variant, on: machine.confined(to: run.cores))
  }
}
