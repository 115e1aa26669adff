/// What a pattern declares, worked out once from its stored properties: what everything but the pattern itself knows of
/// it.
///
/// The lab makes one of every pattern that it reads a scenario of; a worker, which starts for every trial, makes none.
public struct PatternDescription: Sendable {
  /// The pattern.
  public let pattern: any Pattern
  /// What can be set, in the order declared.
  public let parameters: [Parameter]
  /// What a trial measures, in the order declared.
  public let metrics: [Metric]
  /// The ways of doing it, each with what it ignores and promises.
  public let variants: [Variant]
  /// The parameters that say how much there is to do, and not how.
  public let problem: Set<String>
  /// Where each parameter and metric is declared, by its name.
  let places: [String: SourcePlace]

  /// Its name, as scenario files write it after `pattern:`.
  public var name: String { type(of: pattern).name }

  /// Describes `pattern`.
  ///
  /// - Throws: ``InputError`` with the line of its source, for a name that is declared twice or cannot be written in
  ///   checks, and for a variant that does without what is not declared.
  public init(_ pattern: any Pattern) throws(InputError) {
    let declared = Mirror(reflecting: pattern).children.compactMap { $0.value as? any Declaration }
    var places: [String: SourcePlace] = [:]
    for declaration in declared {
      for name in declaration.names {
        guard Self.isName(name) else {
          throw InputError("'\(name)' may have only a-z, 0-9 and '-'", at: "\(declaration.place)")
        }
        if let first = places[name] {
          throw InputError("'\(name)' is declared twice, first in line \(first.line)", at: "\(declaration.place)")
        }
        let taken = (Metric.outcomes + Metric.costs + [Metric.timeToEnd]).map(\.name)
        if taken.contains(name) { throw InputError("'\(name)' is measured of every trial", at: "\(declaration.place)") }
        if name == Cores.name {
          throw InputError("'\(name)' is a setting of the lab's own", at: "\(declaration.place)")
        }
        places[name] = declaration.place
      }
    }
    let variants = pattern.variants
    for variant in variants {
      guard Self.isName(variant.name), !["all", "any", "cores"].contains(variant.name) else {
        throw InputError("'\(variant.name)' is no name for a variant", at: "\(variant.place)")
      }
      if let twin = variants.first(where: { $0.name == variant.name && $0.place != variant.place }) {
        throw InputError(
          "variant '\(variant.name)' stands twice, also in line \(twin.place.line)", at: "\(variant.place)")
      }
      for name in (variant.own + variant.without).flatMap(\.names) where places[name] == nil {
        throw InputError("'\(name)' is not declared by \(type(of: pattern).name)", at: "\(variant.place)")
      }
    }
    guard !variants.isEmpty else { throw InputError("pattern '\(type(of: pattern).name)' has no variants") }
    problem = Set(pattern.problem.compactMap(\.parameter?.name))
    self.pattern = pattern
    self.places = places
    parameters = declared.compactMap(\.parameter)
    let measured = declared.flatMap(\.metrics)
    metrics = measured + (variants.contains { $0.ending != .completes } ? [Metric.timeToEnd] : [])
    let owned = Set(variants.flatMap { $0.own.flatMap(\.names) })
    self.variants = variants.map { variant in
      let own = Set(variant.own.flatMap(\.names))
      let unused = Set(variant.without.flatMap(\.names)).union(owned.subtracting(own))
      var resolved = variant
      resolved.ignores = Set(declared.compactMap(\.parameter?.name)).intersection(unused)
      resolved.promises = measured.filter { !unused.contains($0.name) }
      return resolved
    }
  }

  /// The metric called `name`: one of the pattern's own, or one that every trial has (``Metric/outcomes``,
  /// ``Metric/costs``).
  public func metric(_ name: String) -> Metric? {
    (metrics + Metric.outcomes + Metric.costs).first { $0.name == name }
  }
  /// The variant called `name`.
  public func variant(_ name: String) -> Variant? { variants.first { $0.name == name } }
  /// The parameter called `name`: one of the pattern's own, or that of the lab (``Cores``).
  public func parameter(_ name: String) -> Parameter? { settable.first { $0.name == name } }
  /// What can be set: the pattern's own parameters, and the one of the lab, which is not set unless somebody asks for
  /// it.
  public var settable: [Parameter] { parameters + [Cores.parameter] }

  /// Why `variant` cannot run on `machine`, or nil when it can.
  public func obstacle(to variant: Variant, on machine: Machine) -> String? {
    pattern.obstacle(to: variant, on: machine)
  }

  /// What the results say beyond the claims.
  public func findings(in results: Results) -> [Remark] { pattern.findings(in: results) }

  private static func isName(_ name: String) -> Bool {
    // Of bytes: what Unicode has to say of each takes ten times as long.
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
  }
}
