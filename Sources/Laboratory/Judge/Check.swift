import Measurement

/// A comparison of two operands: `apply[stride=64].elapsed < apply[stride=1].elapsed`.
public struct Check: Sendable, Equatable {
  /// How the two sides compare.
  public enum Comparison: String, Sendable, CaseIterable {
    /// Less than.
    case less = "<"
    /// At most.
    case atMost = "<="
    /// Equal to.
    case equal = "=="
    /// Not equal to.
    case different = "!="
    /// At least.
    case atLeast = ">="
    /// Greater than.
    case greater = ">"

    /// Whether it asks for less or for more, and not for the same or another.
    public var isDirected: Bool { self != .equal && self != .different }

    /// Whether `left` compares to `right` this way.
    public func holds(_ left: Double, _ right: Double) -> Bool {
      switch self {
      case .less: left < right
      case .atMost: left <= right
      case .equal: left == right
      case .different: left != right
      case .atLeast: left >= right
      case .greater: left > right
      }
    }
  }

  /// One side of a check.
  public indirect enum Operand: Sendable, Equatable {
    /// A number with its unit.
    case quantity(Double, Unit)
    /// How many cores the run may use.
    case cores
    /// A figure of the trials.
    case reference(Reference)
    /// Another operand, multiplied.
    case scaled(Double, Operand)
  }

  /// Which figure of which trials.
  public struct Reference: Sendable, Hashable {
    /// Which variants.
    public enum Scope: Sendable, Hashable {
      /// All variants, each of which must pass.
      case all
      /// All variants, one of which must pass.
      case any
      /// One variant.
      case variant(String)

      /// The scope that a check writes as `name`.
      public init(_ name: String) {
        switch name {
        case "all": self = .all
        case "any": self = .any
        default: self = .variant(name)
        }
      }

      /// What a check writes for it.
      public var name: String {
        switch self {
        case .all: "all"
        case .any: "any"
        case .variant(let name): name
        }
      }

      /// Whether it is one variant, rather than a range of them.
      public var isOne: Bool { self != .all && self != .any }
    }
    /// Which variants.
    public let scope: Scope
    /// Which points: every point that has these settings.
    public let point: [Assignment]
    /// The metric.
    public let metric: Metric
    /// The statistic of each trial; nil for the metric's own.
    public let statistic: Statistic?

    /// A figure of trials.
    public init(scope: Scope, point: [Assignment] = [], metric: Metric, statistic: Statistic? = nil) {
      self.scope = scope
      self.point = point
      self.metric = metric
      self.statistic = statistic
    }
  }

  /// The check as it was written.
  public let text: String
  /// The left side.
  public let left: Operand
  /// How they compare.
  public let comparison: Comparison
  /// The right side.
  public let right: Operand

  /// A check.
  public init(text: String, left: Operand, comparison: Comparison, right: Operand) {
    self.text = text
    self.left = left
    self.comparison = comparison
    self.right = right
  }
}

extension Check.Operand {
  /// Whether it is the number of cores, or a multiple of it.
  var isOfCores: Bool {
    switch self {
    case .cores: true
    case .scaled(_, let inner): inner.isOfCores
    case .quantity, .reference: false
    }
  }
}

extension Check {
  /// What its text says, apart from how that is written; nil for a text that is no check.
  public var written: WrittenCheck? { WrittenCheck(text) }

  /// The figures it refers to.
  public var references: [Reference] {
    func inside(_ operand: Operand) -> [Reference] {
      switch operand {
      case .reference(let reference): [reference]
      case .scaled(_, let inner): inside(inner)
      case .quantity, .cores: []
      }
    }
    return inside(left) + inside(right)
  }
}

extension Check.Reference {
  /// Whether it speaks of `run`: of its variant, at a point with these settings, where the variant heeds them.
  func means(_ run: Run, on machine: Machine) -> Bool {
    scope.includes(run.variant)
      && point.allSatisfy { wanted in
        let found = run.point[wanted.name] ?? run.parameters[wanted.name]
        return found == wanted.value || run.variant.ignores.contains(wanted.name)
          || wanted.isMet(by: found, in: run, on: machine)
      }
  }
}

extension Assignment {
  /// Whether it says the name of another setting, and `found` is what that is set to in `run`; or all cores, which a
  /// run has that is not confined to less.
  fileprivate func isMet(by found: ParameterValue?, in run: Run, on machine: Machine) -> Bool {
    if name == Cores.name { return (found ?? .integer(machine.cores)) == Cores.number(value, of: machine.cores) }
    guard case .text(let other) = value, case .integer? = found else { return false }
    return run.point[other] ?? run.parameters[other] == found
  }
}

extension Check.Reference.Scope {
  /// Whether `variant` is meant.
  func includes(_ variant: Variant) -> Bool { if case .variant(let name) = self { variant.name == name } else { true } }
}
