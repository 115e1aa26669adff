import CCores

/// Which cores this process and what it starts may use.
///
/// What consists of wake-ups is compared on one core. On several, the scheduler chooses where the thread that is woken
/// runs: on the core of the one that wakes it after 2 us, on one that is asleep after 30, and mostly alike for as long as a
/// process lives. A ratio of two such figures says where they happened to be.
enum Cores {
  /// Whether there is only one.
  static var isOne: Bool { cores_in_use() == 1 }

  /// Keeps this process to the first of its cores, or lets it have all again.
  static func use(one: Bool) { cores_use_one(one) }
}
