/// A documented way of using Grand Central Dispatch, and the code that runs one trial of each of its variants.
///
/// A pattern declares parameters (``ParameterKey``) and metrics (``MetricKey``) as stored properties, each named once,
/// with type, unit, range, default and a sentence. It also declares its ``variants``, each with its body. Scenario
/// files, the command line and all reports check and describe a pattern by these declarations alone.
///
/// ```swift
/// struct GroupAdapter: Pattern {
///   static let name = "group-adapter"
///
///   let requests = Parameter.count("requests", 1...1000, default: 10, "requests in the group")
///   let completion = Metric.latency("completion", "from the last handler to the completion block")
///
///   /// Sends the requests, and waits for the group.
///   var sendAll: Probe<@Sendable (Request, DispatchGroup) -> Void> {
///     Probe(reads: [requests], records: [completion]) { trial, send in
///       …
///       trial.record(completion, elapsed)
///     }
///   }
///
///   var variants: [Variant] {
///     Variant("balanced", .documented, "leaves on success and on error", sendAll) { request, group in
///       group.enter()
///       request.send { _, _ in group.leave() }
///     }
///   }
/// }
/// ```
///
/// One rule applies to settings and measures alike: a variant uses what its probe (``Probe``) reads and records, or all
/// declarations if it has no probe. A variant that is expected to trap or to hang records nothing. The rule determines
/// what a sweep skips, what a trial may read, and what it must record.
public protocol Pattern: Sendable {
  /// The name of the pattern, as scenario files write it after `pattern:`.
  static var name: String { get }
  /// The requirements of all variants on the machine. The default is empty.
  static var needs: [Requirement] { get }
  /// The settings that define the problem: how much there is to do, or under which condition. The other settings define
  /// how it is done. Each value is a different problem, so `compare` finds a best run for each: a smaller problem is
  /// not a better way.
  var problem: [any Declaration] { get }
  /// The variants, which are compared with each other.
  @VariantList var variants: [Variant] { get }

  /// Returns the longest time that a trial with its settings takes on an idle machine. After ten times that and half a
  /// minute, the lab ends the trial as hung. If the result is nil, which is the default, the lab adds up the durations
  /// among the settings.
  func longest(_ trial: Trial) -> Duration?
}

extension Pattern {
  /// The default is that no setting defines the problem.
  public var problem: [any Declaration] { [] }
  /// The default is no requirement.
  public static var needs: [Requirement] { [] }
  /// The default is nil: the lab adds up the durations among the settings.
  public func longest(_ trial: Trial) -> Duration? { nil }
}

extension Pattern {
  /// Returns why no variant can run on `machine`; nil if some variant can.
  public func obstacle(on machine: Machine) -> String? {
    let obstacles = variants.map { obstacle(to: $0, on: machine) }
    return obstacles.allSatisfy { $0 != nil } ? obstacles.lazy.compactMap(\.self).first : nil
  }

  /// Returns why `variant` cannot run on `machine`; nil if it can.
  func obstacle(to variant: Variant, on machine: Machine) -> String? {
    (Self.needs + variant.needs).lazy.compactMap { $0.obstacle(machine) }.first
  }
}

/// Lets a pattern list its variants one below the other.
@resultBuilder public enum VariantList {
  /// Returns a list of one variant.
  public static func buildExpression(_ variant: Variant) -> [Variant] { [variant] }
  /// Returns a list of several variants, such as one for each QoS class.
  public static func buildExpression(_ variants: [Variant]) -> [Variant] { variants }
  /// Returns the variants of all parts, in the order of the source.
  public static func buildBlock(_ parts: [Variant]...) -> [Variant] { parts.flatMap(\.self) }
  /// Returns the variants of a loop, in the order of its elements.
  public static func buildArray(_ parts: [[Variant]]) -> [Variant] { parts.flatMap(\.self) }
}
