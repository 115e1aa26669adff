/// The declarations of a pattern, which are collected once from the pattern's stored properties. Code outside the
/// pattern reads the declarations only here.
///
/// The lab creates a description of every pattern whose scenario it reads. A worker creates no description, since a
/// worker starts for every trial and the creation of a description takes time.
public struct PatternDescription: Sendable {
  /// The described pattern.
  public let implementation: any Pattern
  /// The parameters, in the order of declaration.
  public let parameters: [Parameter]
  /// The metrics, in the order of declaration. If a variant is expected to trap or to hang, the last metric is
  /// ``Metric/timeToEnd``.
  public let metrics: [Metric]
  /// The variants, each with the parameters that it ignores and the metrics that it promises.
  public let variants: [Variant]
  /// The names of the parameters that define the problem: the amount of work, and the conditions.
  public let problem: Set<String>
  /// The names of the parameters that define the conditions.
  public let conditions: Set<String>
  /// The places of the declarations, by the names of parameters and metrics.
  let places: [String: SourceLine]

  /// The name of the pattern, as scenario files write it after `pattern:`.
  public var name: String { type(of: implementation).name }

  /// Creates the description of `pattern`.
  ///
  /// - Throws: ``InputError`` if a name is declared twice, is reserved or cannot be written in checks, if the probe of
  ///   a variant reads or records a property that is not declared, or if the pattern has no variants. The error
  ///   contains the line in the source, unless the pattern has no variants.
  public init(_ pattern: any Pattern) throws(InputError) {
    let declared = Mirror(reflecting: pattern).children.compactMap { $0.value as? any Declaration }
    let owner = type(of: pattern).name
    let places = try Self.places(of: declared)
    for declaration in declared {
      for name in declaration.metrics.flatMap({ $0.affectedBy ?? [] }) where places[name] == nil && name != Cores.name {
        throw InputError("'\(name)' is not declared by \(owner)", at: "\(declaration.place)")
      }
    }
    let variants = pattern.variants
    guard !variants.isEmpty else { throw InputError("pattern '\(owner)' has no variants") }
    try Self.validate(variants)
    for variant in variants {
      let used = variant.declarations.map { $0.reads + $0.records } ?? []
      for name in used.flatMap(\.names) where places[name] == nil {
        throw InputError("'\(name)' is not declared by \(owner)", at: "\(variant.place)")
      }
    }
    conditions = Set(pattern.conditions.compactMap(\.parameter?.name))
    problem = conditions.union(pattern.problem.compactMap(\.parameter?.name))
    implementation = pattern
    self.places = places
    parameters = declared.compactMap(\.parameter)
    let measured = declared.flatMap(\.metrics)
    metrics = measured + (variants.contains { $0.ending != .completes } ? [Metric.timeToEnd] : [])
    self.variants = variants.map { Self.resolved($0, declared, measured) }
  }

  /// Returns the line of each declared name.
  ///
  /// - Throws: ``InputError`` if a name is declared twice, is reserved or cannot be written in checks.
  private static func places(of declared: [any Declaration]) throws(InputError) -> [String: SourceLine] {
    let taken = (Metric.outcomes + Metric.costs + [Metric.timeToEnd]).map(\.name)
    var places: [String: SourceLine] = [:]
    for declaration in declared {
      for name in declaration.names {
        func mistake(_ says: String) -> InputError { InputError("'\(name)' \(says)", at: "\(declaration.place)") }
        guard isName(name) else { throw mistake("may have only a-z, 0-9 and '-'") }
        if let first = places[name] { throw mistake("is declared twice, first in line \(first.line)") }
        if taken.contains(name) { throw mistake("is a metric of every trial: choose another name") }
        if name == Cores.name { throw mistake("is reserved for the lab's own setting: choose another name") }
        places[name] = declaration.place
      }
    }
    return places
  }

  /// Verifies the names of variants.
  ///
  /// - Throws: ``InputError`` if a name occurs twice, is reserved or cannot be written in checks.
  private static func validate(_ variants: [Variant]) throws(InputError) {
    for variant in variants {
      guard isName(variant.name), !["all", "any", "cores"].contains(variant.name) else {
        throw InputError("'\(variant.name)' is not a name for a variant", at: "\(variant.place)")
      }
      if let duplicate = variants.first(where: { $0.name == variant.name && $0.place != variant.place }) {
        throw InputError(
          "variant '\(variant.name)' appears twice, also in line \(duplicate.place.line)", at: "\(variant.place)")
      }
    }
  }

  /// Returns a variant with the settings that it ignores and the metrics that it promises, which follow from its probe.
  /// A variant without a probe ignores nothing and promises all metrics.
  private static func resolved(
    _ variant: Variant, _ declared: [any Declaration], _ measured: [Metric]
  ) -> Variant {
    var resolved = variant
    guard let used = variant.declarations else {
      resolved.records = measured
      return resolved
    }
    let (reads, records) = (Set(used.reads.flatMap(\.names)), Set(used.records.flatMap(\.names)))
    resolved.ignores = Set(declared.compactMap(\.parameter?.name)).subtracting(reads)
    resolved.records = variant.ending == .completes ? measured.filter { records.contains($0.name) } : []
    return resolved
  }

  /// Returns the metric called `name`, from the pattern's metrics and the metrics of every trial (``Metric/outcomes``,
  /// ``Metric/costs``); nil if no metric has this name.
  public func metric(_ name: String) -> Metric? {
    (metrics + Metric.outcomes + Metric.costs).first { $0.name == name }
  }
  /// Returns the variant called `name`; nil if no variant has this name.
  public func variant(_ name: String) -> Variant? { variants.first { $0.name == name } }
  /// Returns the parameter called `name`, from the pattern's parameters and ``Cores``; nil if no parameter has this
  /// name.
  public func parameter(_ name: String) -> Parameter? { settable.first { $0.name == name } }
  /// All parameters that can be set: the pattern's parameters, and the parameter of ``Cores``.
  public var settable: [Parameter] { parameters + [Cores.parameter] }

  private static func isName(_ name: String) -> Bool {
    // Bytes are compared, since a check of the Unicode properties of characters takes ten times as long.
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-")
      }
  }
}
