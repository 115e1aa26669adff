import Measurement

/// A comparison of two operands, for example `apply[stride=64].elapsed < apply[stride=1].elapsed`.
public struct Check: Sendable, Equatable {
  /// The way in which the two sides are compared.
  public enum Relation: String, Sendable, CaseIterable {
    /// The left side is less than the right side.
    case less = "<"
    /// The left side is at most the right side.
    case atMost = "<="
    /// The two sides are equal.
    case equal = "=="
    /// The two sides are not equal.
    case different = "!="
    /// The left side is at least the right side.
    case atLeast = ">="
    /// The left side is greater than the right side.
    case greater = ">"

    /// Whether the relation has a direction, unlike equality and inequality.
    public var isDirected: Bool { self != .equal && self != .different }

    /// Returns whether the relation holds between `left` and `right`.
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
    /// A number with a unit.
    case quantity(Double, Unit)
    /// The number of cores that the run may use; in an upper bound, the number of online cores.
    case cores
    /// A figure of the trials of a run.
    case reference(Reference)
    /// An operand that is multiplied by a factor.
    case scaled(Double, Operand)
  }

  /// A reference to a figure of trials, by variant, point, metric and statistic.
  public struct Reference: Sendable, Hashable {
    /// The variants that a reference includes.
    public enum Scope: Sendable, Hashable {
      /// All variants; the check must be true for each of them.
      case all
      /// All variants; the check must be true for at least one of them.
      case any
      /// One variant.
      case variant(String)

      /// Creates the scope with the given name in checks: `all`, `any` or the name of a variant.
      public init(_ name: String) {
        switch name {
        case "all": self = .all
        case "any": self = .any
        default: self = .variant(name)
        }
      }

      /// The name of the scope in a check.
      public var name: String {
        switch self {
        case .all: "all"
        case .any: "any"
        case .variant(let name): name
        }
      }

      /// Whether the scope is a single variant.
      public var isOne: Bool { self != .all && self != .any }
    }
    /// The variants that the reference includes.
    public let scope: Scope
    /// The settings of the points: the reference includes every point with these settings.
    public let point: [Setting]
    /// The metric of the figure.
    public let metric: Metric
    /// The statistic over the samples of each trial; nil for the metric's default statistic.
    public let statistic: Statistic?

    /// Creates a reference to a figure of trials.
    public init(scope: Scope, point: [Setting] = [], metric: Metric, statistic: Statistic? = nil) {
      self.scope = scope
      self.point = point
      self.metric = metric
      self.statistic = statistic
    }
  }

  /// The text of the check, as the scenario file contains it.
  public let text: String
  /// The operand on the left side.
  public let left: Operand
  /// The way in which the sides are compared.
  public let relation: Relation
  /// The operand on the right side.
  public let right: Operand

  /// Creates a check from its parts.
  public init(text: String, left: Operand, relation: Relation, right: Operand) {
    self.text = text
    self.left = left
    self.relation = relation
    self.right = right
  }
}

extension Check.Operand {
  /// Whether the operand is the number of cores, or a multiple of the number of cores.
  var isOfCores: Bool {
    switch self {
    case .cores: true
    case .scaled(_, let inner): inner.isOfCores
    case .quantity, .reference: false
    }
  }
}

extension Check {
  /// The check in its written form; nil if ``text`` is not a check.
  public var written: WrittenCheck? { WrittenCheck(text) }

  /// The figures that the check refers to, from left to right.
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
  /// Returns whether the reference includes `run`: the scope includes the variant of the run, and all settings of the
  /// reference that the variant uses agree with the settings of the run.
  func means(_ run: VariantRun, on machine: Machine) -> Bool {
    scope.includes(run.variant)
      && point.allSatisfy { wanted in
        let found = run.point[wanted.name] ?? run.parameters[wanted.name]
        return found == wanted.value || run.variant.ignores.contains(wanted.name)
          || wanted.isMet(by: found, in: run, on: machine)
      }
  }
}

extension Setting {
  /// Returns whether this setting agrees with `found`, the value in `run`, even if the two values are written
  /// differently. If the setting names another setting, `found` is compared with that setting's value in `run`. A run
  /// that is not confined counts as a run on all cores.
  fileprivate func isMet(by found: ParameterValue?, in run: VariantRun, on machine: Machine) -> Bool {
    if name == Cores.name { return (found ?? .integer(machine.cores)) == Cores.number(value, of: machine.cores) }
    guard case .text(let other) = value, case .integer? = found else { return false }
    return run.point[other] ?? run.parameters[other] == found
  }
}

extension Check.Reference.Scope {
  /// Returns whether the scope includes `variant`.
  func includes(_ variant: Variant) -> Bool { if case .variant(let name) = self { variant.name == name } else { true } }
}
