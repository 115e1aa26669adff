/// A documented way of using Grand Central Dispatch or Swift concurrency, and the code that runs one trial of each
/// variant.
///
/// A pattern declares parameters (``ParameterKey``) and metrics (``MetricKey``) as stored properties, each with its
/// name, type, unit, range, default and a short description. A pattern also declares its ``variants``, each with its
/// body. Scenario files, the command line and all reports use only these declarations.
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
/// A variant uses the declarations that its probe (``Probe``) reads and records, or all declarations if it has no
/// probe. A variant that is expected to trap or to hang records no metrics. These declarations determine the parameters
/// that a sweep skips, the settings that a trial may read, and the metrics that the trial must record.
public protocol Pattern: Sendable {
  /// The name of the pattern, as scenario files write it after `pattern:`.
  static var name: String { get }
  /// The requirements of all variants on the machine. The default is an empty array.
  static var needs: [Requirement] { get }
  /// The settings that define the amount of work. Each value of such a setting is a different problem. Since a smaller
  /// problem is not a better solution, `compare` determines a best run for each value. The settings that are neither in
  /// ``problem`` nor in ``conditions`` define how the work is done. The default is an empty array.
  var problem: [any Declaration] { get }
  /// The settings that a program does not choose, such as a limit of the system. `compare` determines a best run for
  /// each value. A setting that fails under one condition may be good under another. The default is an empty array.
  var conditions: [any Declaration] { get }
  /// The variants, which are compared with each other.
  @VariantList var variants: [Variant] { get }

  /// Returns the longest time that a trial with the settings of `trial` takes on an idle machine; nil for the sum of
  /// the durations among the settings that affect the variant. After ten times the longest time plus
  /// ``Budget/watchdog``, the lab ends the trial as hung. The lab does not call the method for a variant whose probe
  /// computes the time. The default implementation returns nil.
  func longest(_ trial: Trial) -> Duration?
}

extension Pattern {
  /// The default: an empty array.
  public var problem: [any Declaration] { [] }
  /// The default: an empty array.
  public var conditions: [any Declaration] { [] }
  /// The default: an empty array.
  public static var needs: [Requirement] { [] }
  /// The default: nil, for the sum of the durations among the settings.
  public func longest(_ trial: Trial) -> Duration? { nil }
}

extension Pattern {
  /// Returns the reason why no variant can run on `machine`; nil if at least one variant can run.
  public func obstacle(on machine: Machine) -> String? {
    let obstacles = variants.map { obstacle(to: $0, on: machine) }
    return obstacles.allSatisfy { $0 != nil } ? obstacles.lazy.compactMap(\.self).first : nil
  }

  /// Returns the reason why `variant` cannot run on `machine`; nil if the variant can run.
  public func obstacle(to variant: Variant, on machine: Machine) -> String? {
    (Self.needs + variant.needs).lazy.compactMap { $0.obstacle(machine) }.first
  }
}
