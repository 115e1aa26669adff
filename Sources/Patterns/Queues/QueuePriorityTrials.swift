import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the variants are put through.
extension QueuePriority {
  /// All tasks, one after the other.
  func longest(_ trial: Trial) -> Duration? { trial[work] * (trial[tasks] * ServiceClass.allCases.count) }

  /// Adds tasks to the queues that `get` gives, in an order that the trial's seed shuffles, and notes when they begin.
  ///
  /// - Parameter niceness: that of the classes; nil to look.
  /// - Throws: ``Unavailable`` when the system gives classes no priority of their own, or has not so many threads.
  func begin<Key: Urgency & CaseIterable>(
    _ trial: Trial, _ measure: MeasureFamily<Key, Duration>, niceness: Niceness? = nil,
    _ get: (Key) -> UnsafeMutableRawPointer?
  ) throws {
    let (count, steps) = (trial[tasks], trial.steps(work))
    let keys = Array(Key.allCases)
    try SystemThread.requireRoom(for: keys.count * trial.cores)
    let niceness = try niceness ?? Niceness.ofClasses()
    try niceness.require()
    let objects = keys.map(get)
    trial.record(queues, Set(objects).count)
    let queues = objects.map { HeldQueue(created: $0) }
    let times = Slots<UInt64?>(count: keys.count * count, of: nil)
    let all = DispatchGroup()
    var random = SplitMix64(seed: trial.seed)
    let order = Array(0..<keys.count * count).shuffled(using: &random)
    let start = MonotonicClock.now()
    for task in order {
      all.enter()
      queues[task / count].async {
        times[task] = MonotonicClock.now() - start
        CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: UInt64(task + 1)))
        all.leave()
      }
    }
    all.wait()
    record(trial, measure, keys, count, times, niceness)
  }

  /// Adds a task each to queues of its own that `make` makes, has all of them spin behind one barrier, and notes when they end.
  ///
  /// - Throws: ``Unavailable`` when the system gives classes no priority of their own, or has not so many threads.
  func end<Key: Urgency & CaseIterable>(
    _ trial: Trial, _ measure: MeasureFamily<Key, Duration>, _ make: (Key) -> DispatchQueue
  ) throws {
    let (count, steps) = (trial[tasks], trial.steps(work))
    let keys = Array(Key.allCases)
    try SystemThread.requireRoom(for: keys.count * count)
    let niceness = try Niceness.ofClasses()
    try niceness.require()
    let times = Slots<UInt64?>(count: keys.count * count, of: nil)
    let all = DispatchGroup()
    let barrier = SpinBarrier(parties: keys.count * count)
    let start = Start()
    for task in 0..<keys.count * count {
      make(keys[task / count]).async(group: all) {
        barrier.wait()
        start.set()
        CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: UInt64(task + 1)))
        times[task] = start.elapsed
      }
    }
    all.wait()
    record(trial, measure, keys, count, times, niceness)
  }

  /// Records how many classes lie between user-initiated and utility, where they can be told from default.
  func recordBetween(_ trial: Trial) throws {
    let niceness = try Niceness.ofClasses()
    if niceness.tells { trial.record(between, niceness.between) }
  }

  private func record<Key: Urgency>(
    _ trial: Trial, _ measure: MeasureFamily<Key, Duration>, _ keys: [Key], _ count: Int, _ times: Slots<UInt64?>,
    _ niceness: Niceness
  ) {
    for (index, key) in keys.enumerated() where niceness.tells || !key.isAboveDefault {
      var histogram = LatencyHistogram()
      for task in 0..<count { if let time = times[index * count + task] { histogram.record(time) } }
      trial.record(measure[key], histogram)
    }
  }
}

/// The instant at which the first of several threads came.
private final class Start: Sendable {
  private let nanoseconds = Atomic<UInt64>(0)

  /// A thread comes.
  func set() {
    _ = nanoseconds.compareExchange(
      expected: 0, desired: MonotonicClock.now(), ordering: .acquiringAndReleasing)
  }

  /// Nanoseconds since then.
  var elapsed: UInt64 { MonotonicClock.now() - nanoseconds.load(ordering: .acquiring) }
}

/// A class of service, or what comes to one.
protocol Urgency: Hashable, Sendable {
  /// Whether it goes before default.
  var isAboveDefault: Bool { get }
}

extension QueuePriority.ServiceClass {
  /// Whether it goes before default.
  var isAboveDefault: Bool { self == .userInteractive || self == .userInitiated }

  /// The class as Swift writes it.
  var qos: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .standard: .default
    case .utility: .utility
    case .background: .background
    }
  }

  /// As `dispatch_get_global_queue` takes it: `QOS_CLASS_…`.
  var identifier: Int {
    switch self {
    case .userInteractive: 0x21
    case .userInitiated: 0x19
    case .standard: 0x15
    case .utility: 0x11
    case .background: 0x09
    }
  }
}

extension QueuePriority.Priority {
  /// Whether it goes before default.
  var isAboveDefault: Bool { self == .high }

  /// As `dispatch_get_global_queue` takes it: `DISPATCH_QUEUE_PRIORITY_…`.
  var identifier: Int {
    switch self {
    case .high: 2
    case .standard: 0
    case .low: -2
    case .background: Int(Int16.min)
    }
  }
}

/// The nice values of the threads of each class; where the system has other means (Darwin), what it says of them is nothing.
struct Niceness: Sendable {
  /// A value for each class, the most urgent first.
  let values: [Int]

  /// Looks at a thread of each class.
  static func ofClasses() throws -> Niceness {
    let seen = Slots<Int>(count: QueuePriority.ServiceClass.allCases.count, of: 0)
    let all = DispatchGroup()
    for (index, service) in QueuePriority.ServiceClass.allCases.enumerated() {
      DispatchQueue.global(qos: service.qos.qosClass).async(group: all) {
        // PRIO_PROCESS, which the systems import as different types, is 0; on Linux a thread has a value of its own.
        seen[index] = Int(getpriority(0, 0))
      }
    }
    all.wait()
    return Niceness(values: seen.values)
  }

  /// Makes sure that default, utility and background differ, each being less urgent than the one before.
  ///
  /// - Throws: ``Unavailable`` with the values.
  func require() throws {
    #if os(Linux)
      let ranked = values.dropFirst(2)
      guard zip(ranked, ranked.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw Unavailable(
          "default, utility and background must differ in their nice values, which are "
            + ranked.map(String.init).joined(separator: ", "))
      }
    #endif
  }

  /// Whether the classes above default can be told from it: a nice value below 0 needs a privilege.
  var tells: Bool {
    #if os(Linux)
      values[1] < values[2]
    #else
      true
    #endif
  }

  /// How many classes lie between user-initiated and utility.
  var between: Int { values.count { values[1] < $0 && $0 < values[3] } }
}
