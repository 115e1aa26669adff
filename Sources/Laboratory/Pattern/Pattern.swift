/// A documented way of using Grand Central Dispatch, and how one trial of each of its variants runs.
///
/// A pattern declares what it is made of as stored properties: settings (``Setting``) and measures (``Measure``), each
/// named once, with type, unit, range, default and a sentence; and its ``variants``, each with its body. From that,
/// scenario files, the command line and every report can check and describe it without knowing it.
///
/// ```swift
/// struct GroupAdapter: Pattern {
///   static let name = "group-adapter"
///
///   let requests = Setting.count("requests", 1...1000, default: 10, "requests in the group")
///   let completion = Metric.latency("completion", "from the last handler to the completion block")
///
///   var variants: [Variant] {
///     Variant("balanced", .documented, "leaves on success and on error") { trial in
///       …
///       trial.record(completion, elapsed)
///     }
///   }
/// }
/// ```
///
/// One rule for settings and measures alike: a variant uses all that is declared, except what it says it does
/// `without`, and what other variants call their `own`. From it follows what a sweep skips, what a trial may read, and
/// what it must record.
public protocol Pattern: Sendable {
  /// Its name, as scenario files write it after `pattern:`.
  static var name: String { get }
  /// What no variant can do without; empty unless a pattern says otherwise.
  static var needs: [Need] { get }
  /// The settings that say what there is to do, how much of it or under which condition, and not how it is done. Their
  /// values are different problems: what does less is not the better way, so that `compare` finds a best for each.
  var problem: [any Declaration] { get }
  /// The ways of doing it that stand side by side.
  @VariantList var variants: [Variant] { get }

  /// How long a trial takes at most with its settings, on a machine that is not busy; ten times that and half a minute
  /// is when it is ended as hung. Nil, for what its durations come to together, unless a pattern or a variant says
  /// otherwise.
  func longest(_ trial: Trial) -> Duration?

  /// What the results say beyond the claims: a fitted model, a best setting. None unless a pattern says otherwise.
  func findings(in results: Results) -> [Remark]
}

extension Pattern {
  /// Every setting is a way of doing it unless a pattern says otherwise.
  public var problem: [any Declaration] { [] }
  /// Runs everywhere unless a pattern says otherwise.
  public static var needs: [Need] { [] }
  /// What its durations come to, unless a pattern says otherwise.
  public func longest(_ trial: Trial) -> Duration? { nil }
  /// None unless a pattern says otherwise.
  public func findings(in results: Results) -> [Remark] { [] }
}

extension Pattern {
  /// Why no variant can run on `machine`, or nil when some can.
  public func obstacle(on machine: Machine) -> String? {
    let obstacles = variants.map { obstacle(to: $0, on: machine) }
    return obstacles.allSatisfy { $0 != nil } ? obstacles.lazy.compactMap(\.self).first : nil
  }

  /// Why `variant` cannot run on `machine`, or nil when it can.
  func obstacle(to variant: Variant, on machine: Machine) -> String? {
    (Self.needs + variant.needs).lazy.compactMap { $0.obstacle(machine) }.first
  }
}

/// Lets a pattern write its variants one below the other.
@resultBuilder public enum VariantList {
  /// One variant.
  public static func buildExpression(_ variant: Variant) -> [Variant] { [variant] }
  /// Several, such as one for each QoS class.
  public static func buildExpression(_ variants: [Variant]) -> [Variant] { variants }
  /// All of them, in the order written.
  public static func buildBlock(_ parts: [Variant]...) -> [Variant] { parts.flatMap(\.self) }
  /// One part for each element of a loop.
  public static func buildArray(_ parts: [[Variant]]) -> [Variant] { parts.flatMap(\.self) }
}
