import Dispatch
import Laboratory
import Platform

/// A few serial queues that are handed out in turn: YYDispatchQueuePool in Swift.
final class DispatchQueuePool: Sendable {
  /// No pool has more queues.
  static let mostQueues = 32
  /// The classes that have a set each.
  static let classes: [DispatchQoS] = [.userInteractive, .userInitiated, .utility, .background, .default]

  /// How the queues are made.
  enum Making {
    /// With a class of service.
    case ofClass(DispatchQoS)
    /// As it was before there were classes: they target the global queue of a priority.
    case targeting(DispatchQueue)
  }

  private let queues: [DispatchQueue]
  private let turns: RoundRobin

  /// So many serial queues, 1 to 32; nil for any other number.
  init?(name: String, queueCount: Int, _ making: Making) {
    if queueCount < 1 || queueCount > Self.mostQueues { return nil }
    queues = (0..<queueCount).map { _ in
      switch making {
      case .ofClass(let qos): DispatchQueue(label: name, qos: qos)
      case .targeting(let target): DispatchQueue(label: name, target: target)
      }
    }
    turns = RoundRobin(count: queueCount)
  }

  /// How many queues it has.
  var count: Int { queues.count }

  /// The next queue.
  var queue: DispatchQueue { queues[turns.next()] }

  /// As many queues as cores, 1 to 32.
  static func size(cores: Int) -> Int { cores < 1 ? 1 : cores > mostQueues ? mostQueues : cores }

  /// The set of a class, which the first who asks for it makes.
  static func shared(_ qos: DispatchQoS) -> DispatchQueuePool? {
    switch qos.qosClass {
    case .userInteractive: Sets.userInteractive
    case .userInitiated: Sets.userInitiated
    case .utility: Sets.utility
    case .background: Sets.background
    default: Sets.standard
    }
  }

  /// The original has an array of five, each filled by a `dispatch_once` of its own: in Swift that is a static let.
  private enum Sets {
    static let userInteractive = make("user-interactive", .userInteractive)
    static let userInitiated = make("user-initiated", .userInitiated)
    static let utility = make("utility", .utility)
    static let background = make("background", .background)
    static let standard = make("default", .default)

    private static func make(_ name: String, _ qos: DispatchQoS) -> DispatchQueuePool? {
      DispatchQueuePool(name: name, queueCount: size(cores: Host.cores), .ofClass(qos))
    }
  }
}
