import Measurement
import Platform

/// Something that a pattern or a variant requires of the machine. If the machine does not have it, the variant is
/// unavailable with that reason, and the lab starts no worker for it.
public struct Requirement: Sendable {
  /// The requirement: `2 cores`, `Darwin`.
  public let says: String
  /// Returns why `machine` does not meet the requirement; nil if it does.
  public let obstacle: @Sendable (_ machine: Machine) -> String?

  /// Creates a requirement.
  public init(_ says: String, obstacle: @escaping @Sendable (_ machine: Machine) -> String?) {
    self.says = says
    self.obstacle = obstacle
  }

  /// Requires a number of cores that this process may use: parties of a natural race must run at the same instant.
  public static func cores(_ count: Int) -> Requirement {
    Requirement("\(count) cores") { machine in
      guard machine.cores < count else { return nil }
      let found = machine.confinedTo == nil ? "there \(machine.cores == 1 ? "is" : "are")" : "the run is confined to"
      return "\(count) cores are needed, \(found) \(machine.cores)"
    }
  }

  /// Requires a number of open descriptors (the soft limit).
  public static func descriptors(_ count: Int) -> Requirement {
    Requirement("\(count) descriptors") { machine in
      machine.descriptorLimit >= count
        ? nil : "\(count) open descriptors are needed, the limit is \(machine.descriptorLimit)"
    }
  }

  /// Requires permission to raise the priority of a thread. On Linux Dispatch sets nice values below 0 for the classes
  /// above default, which takes a privilege.
  public static let raisedPriority = Requirement("permission to raise priorities") { _ in
    SystemThread.canRaisePriority ? nil : "no permission to raise nice values: the classes above default equal it"
  }

  /// Requires macOS.
  public static let darwin = system("Darwin")
  /// Requires Linux.
  public static let linux = system("Linux")

  private static func system(_ name: String) -> Requirement {
    Requirement(name) { machine in machine.os == name ? nil : "only on \(name), this is \(machine.os)" }
  }
}
