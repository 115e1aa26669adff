import Laboratory
import Measurement
import Platform

extension Machine {
  /// Which Dispatch it is, and whether the binary has it: `of Swift 6.3, static`.
  var dispatchText: String {
    let linked = isStatic.map { $0 ? ", static" : ", dynamic" } ?? ""
    return (dispatch ?? "of Swift \(swift)") + linked
  }
}

/// What the lab knows and measured of this machine.
public enum MachineReport {
  /// The facts, one a line.
  public static func render(_ machine: Machine, _ style: TextStyle) -> String {
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
        "\(Quantity(machine.floor, .nanoseconds)), what an empty measurement takes: two clock reads and a histogram record"
      ),
      ("calibrated work", "\(Quantity.number(machine.work.stepsPerMicrosecond.rounded())) steps per microsecond"),
      ("dispatch sources", Host.dispatchSources.joined(separator: ", ")),
    ]
    let entry = Entry(column: 20, style: style)
    return facts.flatMap { name, value in value.map { entry.lines(name, [($0, nil)]) } ?? [] }
      .map { $0 + "\n" }.joined()
  }

  /// As JSON, as in result documents.
  ///
  /// - Throws: `EncodingError`, which no machine can cause.
  public static func json(_ machine: Machine) throws -> String {
    return try JSONReport.pretty(machine)
  }
}
