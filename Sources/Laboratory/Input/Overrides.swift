/// The changes that the command line makes to an experiment.
public struct Overrides: Sendable {
  /// The texts of the form `name=value`. Each text sets a parameter. A parameter that is set is no longer swept.
  public var settings: [String]
  /// The value of the setting `cores`, which has its own flag; nil to keep the experiment's value.
  public var cores: String?
  /// The names of the variants to run; empty for all variants.
  public var variants: [String]
  /// The name of the variant that ratios refer to; nil to keep the experiment's baseline.
  public var baseline: String?
  /// Whether to apply the experiment's `quick` values.
  public var quick: Bool

  /// Creates a set of changes.
  public init(
    settings: [String] = [], cores: String? = nil, variants: [String] = [], baseline: String? = nil,
    quick: Bool = false
  ) {
    self.settings = settings
    self.cores = cores
    self.variants = variants
    self.baseline = baseline
    self.quick = quick
  }
}

extension Experiment {
  /// Returns the experiment with `overrides`. The option `--set` takes precedence over `quick`. If the baseline is not
  /// among the variants to run, the experiment has no baseline.
  ///
  /// - Throws: ``InputError`` if a name is unknown or a value is not allowed.
  public func applying(_ overrides: Overrides) throws(InputError) -> Experiment {
    var changed = self
    if overrides.quick { for (name, value) in quick { changed.set(name, value) } }
    for text in overrides.settings { do { try changed.set(text) } catch { throw error.at("--set") } }
    if let cores = overrides.cores {
      do { try changed.set("\(Cores.name)=\(cores)") } catch { throw error.at("--cores") }
    }
    for name in overrides.variants + [overrides.baseline].compactMap(\.self) where variant(name) == nil {
      let place = overrides.variants.contains(name) ? "--variant" : "--baseline"
      throw .unknown("variant", name, of: self.name, at: place, known: variants.map(\.name))
    }
    if !overrides.variants.isEmpty {
      // The baseline also runs, since the other runs are compared with the baseline.
      changed.variants = variants.filter { overrides.variants.contains($0.name) || $0.name == overrides.baseline }
    }
    if let baseline = overrides.baseline { changed.baseline = baseline }
    if let baseline = changed.baseline, changed.variant(baseline) == nil { changed.baseline = nil }
    return changed
  }

  /// Returns the experiment with the settings for a recording: the `quick` settings, the `trace` settings, and the
  /// given settings, in ascending order of precedence. The `trace` settings and the given settings may have several
  /// values. A swept parameter without any of these settings has its first and its last value.
  ///
  /// - Parameter settings: texts of the form `name=value` or `name=value,value`.
  /// - Throws: ``InputError`` if a name is unknown or a value is not allowed.
  public func forTrace(_ settings: [String] = []) throws(InputError) -> Experiment {
    var changed = self
    for (name, value) in quick { changed.set(name, value) }
    var points = trace
    for text in settings {
      do throws(InputError) { points.append(try SweepParser(pattern).sweep(text)) } catch { throw error.at("--set") }
    }
    changed.sweep = changed.sweep.map { swept in
      guard let first = swept.values.first, let last = swept.values.last, first != last else { return swept }
      return Sweep(swept.name, [first, last])
    }
    for point in points {
      changed.sweep.removeAll { $0.name == point.name }
      changed.parameters[point.name] = nil
      // A value that refers to another setting is known once all settings are applied.
      switch point.values.first {
      case .text where pattern.parameter(point.name)?.isNumber == true, .none: changed.sweep.append(point)
      case .some(let value) where point.values.count == 1: changed.parameters[point.name] = value
      case .some: changed.sweep.append(point)
      }
    }
    return changed
  }

  /// Returns the variant called `name`; nil if the experiment does not include this variant.
  public func variant(_ name: String) -> Variant? { variants.first { $0.name == name } }

  private mutating func set(_ text: String) throws(InputError) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      let examples = pattern.exampleSweeps(parameters)
      let example = (examples.first { $0.hasPrefix("\(text)=") } ?? examples[0]).prefix { $0 != "," }
      throw InputError("found '\(text)', expected NAME=VALUE as in \(example)")
    }
    let name = String(text[..<equals])
    let parameter = try pattern.knownParameter(name)
    do throws(InputError) {
      set(name, try parameter.value(parsing: String(text[text.index(after: equals)...])))
    } catch {
      // Several values are for the command `compare`.
      guard let values = try? SweepParser(pattern).sweep(text).values, values.count > 1 else { throw error }
      throw InputError(
        "\(name): found \(values.count) values, but a run has one; to compare the values: compare \(self.name) \(text)")
    }
  }

  private mutating func set(_ name: String, _ value: ParameterValue) {
    let usual = parameters[name] ?? pattern.parameter(name)?.standard
    if usual != value || sweep.contains(where: { $0.name == name }) { changed.insert(name) }
    sweep.removeAll { $0.name == name }
    parameters[name] = value
  }
}

extension PatternDescription {
  /// Parses the value of a parameter at a point of a sweep or a check. The text may also be the name of another setting
  /// with the same unit. For example, `stride=iterations` stands for the value of `iterations`.
  ///
  /// - Throws: ``InputError`` without a place, if `text` is neither a valid value nor the name of such a setting.
  func pointValue(_ text: String, of parameter: Parameter) throws(InputError) -> ParameterValue {
    if parameter.isNumber, parameter.name != Cores.name, let other = parameters.first(where: { $0.name == text }),
      other.name != parameter.name, other.isNumber,
      other.unit == parameter.unit
    {
      return .text(other.name)
    }
    return try parameter.value(parsing: text)
  }

  /// Returns the parameter called `name`.
  ///
  /// - Throws: ``InputError`` without a place, if there is no such parameter; the error contains the known names and
  ///   the nearest name.
  func knownParameter(_ name: String) throws(InputError) -> Parameter {
    if let parameter = parameter(name) { return parameter }
    throw .unknown("parameter", name, of: self.name, known: settable.map(\.name))
  }
}
