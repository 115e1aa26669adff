import Measurement
import Platform

/// A requirement that the machine must meet for a pattern or a variant. If the machine does not meet the requirement,
/// each variant with the requirement is unavailable, and the lab starts no worker for the variant.
public struct Requirement: Sendable {
  /// A short description of the requirement, for example `2 cores` or `Darwin`.
  public let says: String
  /// A closure that returns the reason why a machine does not meet the requirement, or nil if the machine meets the
  /// requirement.
  public let obstacle: @Sendable (_ machine: Machine) -> String?

  /// Creates a requirement.
  public init(_ says: String, obstacle: @escaping @Sendable (_ machine: Machine) -> String?) {
    self.says = says
    self.obstacle = obstacle
  }

  /// Returns a requirement for `count` cores that a trial may use. A race requires several cores, since its threads
  /// must run at the same time.
  public static func cores(_ count: Int) -> Requirement {
    Requirement("\(count) cores") { machine in
      guard machine.cores < count else { return nil }
      let found = machine.confinedTo == nil ? "there \(machine.cores == 1 ? "is" : "are")" : "the run is confined to"
      return "\(count) cores are needed; \(found) \(machine.cores)"
    }
  }

  /// Returns a requirement for `count` open file descriptors (the soft limit).
  public static func descriptors(_ count: Int) -> Requirement {
    Requirement("\(count) descriptors") { machine in
      machine.descriptorLimit >= count
        ? nil : "\(count) open descriptors are needed; the limit is \(machine.descriptorLimit)"
    }
  }

  /// The requirement for permission to raise the priority of a thread. On Linux, Dispatch sets nice values below 0 for
  /// the QoS classes above default, which requires a privilege.
  public static let raisedPriority = Requirement("permission to raise priorities") { _ in
    SystemThread.canRaisePriority ? nil : "no permission to lower nice values: the classes above default have no effect"
  }

  /// The requirement that the system is Darwin.
  public static let darwin = system("Darwin")
  /// The requirement that the system is Linux.
  public static let linux = system("Linux")

  private static func system(_ name: String) -> Requirement {
    Requirement(name) { machine in machine.os == name ? nil : "only on \(name); this system is \(machine.os)" }
  }
}
