import Laboratory
import Measurement
import Platform

extension Machine {
  /// The version of the Dispatch library, and whether the library is linked statically, if this is known: `of Swift
  /// 6.3, static`.
  var dispatchText: String {
    let linked = isStatic.map { $0 ? ", static" : ", dynamic" } ?? ""
    return (dispatch ?? "of Swift \(swift)") + linked
  }
}

/// A report on the machine: the facts that the lab reads or measures.
public enum MachineReport {
  /// Returns the facts about the machine as text, one fact in each line.
  ///
  /// - Parameters:
  ///   - machine: the machine.
  ///   - wakeUps: the durations of wake-ups.
  ///   - style: the style of the text.
  public static func render(_ machine: Machine, _ wakeUps: WakeUps, _ style: TextStyle) -> String {
    let facts: [(String, String?)] = [
      ("system", "\(machine.os) \(machine.kernel)"), ("processor", machine.cpu), ("cores", "\(machine.cores)"),
      ("memory", machine.memory.map { Quantity(Double($0), .bytes).description }),
      ("Swift", machine.swift + (machine.optimised ? ", optimised" : ", debug build: timings are meaningless")),
      ("Dispatch", machine.dispatchText),
      ("descriptor limit", machine.descriptorLimit == .max ? "none" : "\(machine.descriptorLimit)"),
      ("thread limit", machine.threadLimit.map { "\($0)" } ?? "none"),
      ("clock read", Quantity(machine.clockRead, .nanoseconds).description),
      (
        "noise floor",
        "\(Quantity(machine.floor, .nanoseconds)), the time of an empty measurement: two clock reads and a histogram record"
      ),
      ("calibrated work", "\(Quantity.number(machine.work.stepsPerMicrosecond.rounded())) steps per microsecond"),
      ("wake-up", text(wakeUps)), ("dispatch sources", Host.dispatchSources.joined(separator: ", ")),
    ]
    let entry = DescriptionList(column: 20, style: style)
    return facts.flatMap { name, value in value.map { entry.lines(name, [($0, nil)]) } ?? [] }
      .map { $0 + "\n" }.joined()
  }

  /// Returns the durations of a wake-up as text, by the core on which the thread sleeps; nil if the durations are
  /// unknown.
  private static func text(_ wakeUps: WakeUps) -> String? {
    let kinds = [(wakeUps.sameCore, "on the same core"), (wakeUps.otherCore, "on another core that sleeps")]
    let known = kinds.compactMap { time, place in time.map { "\(Quantity($0, .nanoseconds)) \(place)" } }
    return known.isEmpty ? nil : known.joined(separator: ", ")
  }

  /// Returns the facts about the machine as JSON. The facts have the form that result documents use. `wakeUps` contains
  /// durations in nanoseconds.
  ///
  /// - Throws: `EncodingError` if a figure is not finite. The figures of a machine are finite.
  public static func json(_ machine: Machine, _ wakeUps: WakeUps) throws -> String {
    try JSONReport.pretty(Facts(machine: machine, wakeUps: wakeUps))
  }

  /// The machine and the facts that only `gcdlab machine` measures, encoded as one object.
  private struct Facts: Encodable {
    let machine: Machine
    let wakeUps: WakeUps

    private enum Key: CodingKey { case wakeUps }

    func encode(to encoder: any Encoder) throws {
      try machine.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(wakeUps, forKey: .wakeUps)
    }
  }
}
