import Laboratory

/// A sweep of the values between two settings that were tried, with which a user finds where something changes.
struct FinerSweep {
  /// The sweep in the notation of the command: `permits=32..64:+4`, or `work=1us..100us:x2`.
  let notation: String
  /// The values between the two settings.
  let values: [Int]

  /// The number of steps between two settings that are far apart.
  private static let steps = 8.0
  /// The largest step that the sweep parser accepts.
  private static let widestStep = 8e15

  /// Creates a sweep between two settings of `parameter`, which may be any integers. Their difference may exceed the
  /// range of Int.
  ///
  /// - Parameter doubles: whether each value is twice the one before; otherwise, the steps are equal.
  init(_ parameter: ParameterFacts, between ends: ClosedRange<Int>, doubles: Bool) {
    let (first, last) = (ends.lowerBound, ends.upperBound)
    func text(_ number: Int) -> String { parameter.exact(.integer(number)) }
    let step = Int(max(1, min((Double(last) - Double(first)) / Self.steps, Self.widestStep)))
    let suffix = doubles ? ":x2" : parameter.unit != nil || step > 1 ? ":+\(text(step))" : ""
    notation = "\(parameter.name)=\(text(first))..\(text(last))\(suffix)"
    values = doubles ? Self.doubled(from: first, to: last) : Self.stepped(from: first, to: last, by: step)
  }

  /// Returns the values between two others in a sweep that doubles the values.
  private static func doubled(from first: Int, to last: Int) -> [Int] {
    // A double that is not below `last` is not computed, since it may exceed the range of Int.
    var values: [Int] = []
    while case let value = values.last ?? max(first, 1), value <= (last - 1) / 2 { values.append(2 * value) }
    return values
  }

  /// Returns the values between two others in a sweep of equal steps. `step` must not exceed the difference.
  private static func stepped(from first: Int, to last: Int, by step: Int) -> [Int] {
    var values: [Int] = []
    while case let value = values.last ?? first, value < last - step { values.append(value + step) }
    return values
  }
}
