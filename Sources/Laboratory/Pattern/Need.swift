import Measurement

/// What a pattern or a variant cannot do without. Where the machine has it not, the variant is unavailable, with the
/// reason, and no worker is started for it.
public struct Need: Sendable {
  /// What is needed: `2 cores`, `Darwin`.
  public let says: String
  /// Why `machine` has it not; nil when it has.
  public let obstacle: @Sendable (_ machine: Machine) -> String?

  /// A need of one's own.
  public init(_ says: String, obstacle: @escaping @Sendable (_ machine: Machine) -> String?) {
    self.says = says
    self.obstacle = obstacle
  }

  /// A number of cores that this process may use: what races in the open must run at the same instant.
  public static func cores(_ count: Int) -> Need {
    Need("\(count) cores") { machine in
      guard machine.cores < count else { return nil }
      let found = machine.confinedTo == nil ? "there \(machine.cores == 1 ? "is" : "are")" : "the run is confined to"
      return "\(count) cores are needed, \(found) \(machine.cores)"
    }
  }

  /// A number of open descriptors (the soft limit).
  public static func descriptors(_ count: Int) -> Need {
    Need("\(count) descriptors") { machine in
      machine.descriptorLimit >= count
        ? nil : "\(count) open descriptors are needed, the limit is \(machine.descriptorLimit)"
    }
  }

  /// macOS.
  public static let darwin = system("Darwin")
  /// Linux.
  public static let linux = system("Linux")

  private static func system(_ name: String) -> Need {
    Need(name) { machine in machine.os == name ? nil : "only on \(name), this is \(machine.os)" }
  }
}
