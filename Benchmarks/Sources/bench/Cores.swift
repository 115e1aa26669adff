import CCores

/// The cores on which this process and the programs that it starts may run.
///
/// Wake-ups are compared on one core. On several cores, the scheduler chooses the core of the woken thread. The thread
/// begins after 2 us on the core of the waking thread, and after 30 us on a core that is asleep. The choice rarely
/// changes during the life of a process. The ratio of two such figures therefore depends on the scheduler's choices.
enum Cores {
  /// Whether this process may run on one core only.
  static var isOne: Bool { cores_in_use() == 1 }

  /// Confines this process to the first of its cores, or permits all its cores again.
  static func use(one: Bool) { cores_use_one(one) }
}
