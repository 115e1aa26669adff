import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension QueuePriority {
  /// Returns the longest time of a trial: all tasks, one after the other.
  func longest(_ trial: Trial) -> Duration? { trial[work] * (trial[tasks] * QoSClass.allCases.count) }

  /// Submits tasks to the global queues that the body returns for the four priorities, and requests a queue from the
  /// body by each other identifier.
  ///
  /// - Parameter niceness: the priorities of the classes; nil to determine them.
  func beginOnEveryQueue(
    niceness: ThreadPriorities? = nil
  ) -> Probe<@Sendable (_ identifier: Int) -> UnsafeMutableRawPointer?> {
    Probe(reads: [tasks, work], records: [queues, otherQueues, priorityTime]) { trial, get in
      try begin(priorityTime, niceness: niceness)(trial) { priority in get(priority.identifier) }
      askForAll(trial, get)
    }
  }

  /// Submits tasks to the queues that the body returns, in shuffled order, and records when they begin. The trial is
  /// unavailable if the system gives classes no priority of their own, or if there are not enough threads.
  ///
  /// - Parameter niceness: the priorities of the classes; nil to determine them.
  func begin<Key: Urgency & CaseIterable>(
    _ measure: MetricFamily<Key, Duration>, niceness: ThreadPriorities? = nil
  ) -> Probe<@Sendable (Key) -> UnsafeMutableRawPointer?> {
    Probe(reads: [tasks, work], records: [queues, measure]) { trial, get in
      let (count, steps) = (trial[tasks], trial.steps(work))
      try SystemThread.requireCapacity(for: Key.allCases.count * trial.cores)
      let niceness = try niceness ?? ThreadPriorities.ofClasses()
      try niceness.require()
      trial.record(queues, Set(Key.allCases.map(get)).count)
      let keys = Key.allCases.filter { niceness.distinguishes($0) }
      let queues = keys.map { RetainedQueue(created: get($0)) }
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
  }

  /// Submits more tasks than there are cores to the queue of each of these priorities, and then one to the queue of the
  /// low priority. Counts the tasks that had not begun when the last one began. The body returns the queues.
  ///
  /// The tasks yield until the last one begins, so they occupy the pool's threads. They do not block, since the pool
  /// adds threads for tasks that block.
  ///
  /// - Parameter patience: how long the tasks wait for the last one.
  func overtake(
    patience: Duration = .seconds(10), _ priorities: [Priority]
  ) -> Probe<@Sendable (Priority) -> UnsafeMutableRawPointer?> {
    Probe(records: [overtaken]) { trial, get in
      let count = 2 * trial.poolWidth
      try SystemThread.requireCapacity(for: 2 * trial.poolWidth)
      let low = RetainedQueue(created: get(.low))
      var late = 0
      for priority in priorities {
        let (begun, lowBegun, seen) = (Gauge(), Gauge(), Slots<Int>(count: 1, of: count))
        let all = DispatchGroup()
        let queue = RetainedQueue(created: get(priority))
        let end = MonotonicClock.now() + patience.nanoseconds
        for _ in 0..<count {
          all.enter()
          queue.async {
            begun.up()
            while lowBegun.now == 0, MonotonicClock.now() < end { yieldProcessor() }
            all.leave()
          }
        }
        all.enter()
        low.async {
          seen[0] = begun.now
          lowBegun.up()
          all.leave()
        }
        all.wait()
        late += count - seen[0]
      }
      trial.record(overtaken, late)
    }
  }

  /// Submits spinning tasks to private queues that the body makes, starts all of them at once, and records when they
  /// end. The trial is unavailable if the system gives classes no priority of their own, or if there are not enough
  /// threads.
  func end<Key: Urgency & CaseIterable>(
    _ measure: MetricFamily<Key, Duration>
  ) -> Probe<@Sendable (Key) -> DispatchQueue> {
    Probe(reads: [tasks, work], records: [measure]) { trial, make in
      let (count, steps) = (trial[tasks], trial.steps(work))
      try SystemThread.requireCapacity(for: Key.allCases.count * count)
      let niceness = try ThreadPriorities.ofClasses()
      try niceness.require()
      let keys = Key.allCases.filter { niceness.distinguishes($0) }
      let times = Slots<UInt64?>(count: keys.count * count, of: nil)
      let all = DispatchGroup()
      let barrier = SpinBarrier(parties: keys.count * count)
      let start = FirstArrival()
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
  }

  /// Requests a global queue by each possible identifier, and counts the queues that have none of the four priorities.
  func askForAll(_ trial: Trial, _ get: (Int) -> UnsafeMutableRawPointer?) {
    let documented = Priority.allCases.map { get($0.identifier) }
    // 0x05 is QOS_CLASS_MAINTENANCE, which only the C library's own header declares.
    let further = (QoSClass.allCases.map(\.identifier) + [0x05]).map(get)
    trial.record(otherQueues, Set(further).subtracting(documented).count)
  }

  /// Counts the different priorities of the threads that serve the four queues that `get` returns.
  func rank(_ trial: Trial, _ get: (Priority) -> UnsafeMutableRawPointer?) {
    let seen = ThreadPriorities.seen(Priority.allCases.map { RetainedQueue(created: get($0)).async })
    trial.record(threadPriorities, Set(seen).count)
  }

  /// Counts the queues whose threads have a priority between user-initiated and utility.
  ///
  /// - Parameter niceness: the priorities of the classes.
  func compare(_ trial: Trial, _ niceness: ThreadPriorities, _ queues: [DispatchQueue]) {
    let seen = ThreadPriorities.seen(queues.map { queue in { queue.async(execute: $0) } })
    trial.record(unspecifiedBetween, seen.count { niceness.isBetween($0) })
  }

  /// Gives up the permission to raise priorities, has the body examine the threads of queues that have not been used
  /// before, and counts the threads that have the priority of the default queue's thread, or the background priority.
  ///
  /// Nothing serves the main queue of such a trial, so Dispatch has no threads yet. An earlier thread would keep the
  /// priority with which it was started. The trial is unavailable if its process was started with a nice value other
  /// than 0, or if the threads of the background class do not have a higher nice value.
  var giveUpPrivileges: Probe<@Sendable (_ queues: [UnusedQueue]) -> Void> {
    Probe(records: [levelWithDefault, levelWithBackground]) { trial, lookAt in
      try SystemThread.requireCapacity(for: 10)
      try SystemThread.giveUpRaisingPriority()
      let niceness = ThreadPriorities.ofCallingThread
      guard niceness == 0 else {
        throw Unavailable("the process must begin with the nice value 0, and begins with \(niceness)")
      }
      let all = DispatchGroup()
      func unused(_ queue: DispatchQueue) -> UnusedQueue { UnusedQueue(all) { queue.async(execute: $0) } }
      func global(_ priority: Priority) -> UnusedQueue {
        UnusedQueue(all) { RetainedQueue(created: gcdlab_dispatch_get_global_queue(priority.identifier, 0)).async($0) }
      }
      func own(_ qosClass: DispatchQoS) -> UnusedQueue { unused(DispatchQueue(label: "own", qos: qosClass)) }
      let (standard, background) = (global(.standard), global(.background))
      let equals = [global(.high), own(.userInitiated), unused(DispatchQueue(label: "own"))]
      let others = [standard, global(.low), own(.default), own(.utility)]
      lookAt(equals + others + [background])
      all.wait()
      guard background.niceness > niceness else {
        throw Unavailable("the threads of the background class have the nice value \(background.niceness), as others")
      }
      trial.record(levelWithDefault, equals.count { $0.niceness == standard.niceness })
      trial.record(levelWithBackground, (equals + others).count { $0.niceness == background.niceness })
    }
  }

  private func record<Key: Urgency>(
    _ trial: Trial, _ measure: MetricFamily<Key, Duration>, _ keys: [Key], _ count: Int, _ times: Slots<UInt64?>,
    _ niceness: ThreadPriorities
  ) {
    for (index, key) in keys.enumerated() where niceness.tells || !key.isAboveDefault {
      trial.record(measure[key], (0..<count).map { times[index * count + $0] })
    }
  }
}

/// A queue that has run no block yet.
final class UnusedQueue: Sendable {
  private let all: DispatchGroup
  private let async: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let seen = Slots<Int>(count: 1, of: .max)
  private let hasSeen = DispatchSemaphore(value: 0)

  /// Creates a queue that is a member of `all`. The group ends once each of its queues has run a block.
  init(_ all: DispatchGroup, _ async: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.all = all
    self.async = async
    all.enter()
  }

  /// Submits a block that notes the nice value of its thread.
  func look() {
    async { [self] in
      seen[0] = ThreadPriorities.ofCallingThread
      hasSeen.signal()
      all.leave()
    }
  }

  /// Waits until the block has noted the nice value.
  func awaitLook() { hasSeen.wait() }

  /// The nice value of the thread that ran the block.
  var niceness: Int { seen[0] }
}

/// The instant at which the first of several threads arrived.
private final class FirstArrival: Sendable {
  private let nanoseconds = Atomic<UInt64>(0)

  /// Notes that a thread arrives.
  func set() {
    _ = nanoseconds.compareExchange(
      expected: 0, desired: MonotonicClock.now(), ordering: .acquiringAndReleasing)
  }

  /// The nanoseconds since that instant.
  var elapsed: UInt64 { MonotonicClock.now() - nanoseconds.load(ordering: .acquiring) }
}

/// A QoS class, or a priority that maps to one.
protocol Urgency: Hashable, Sendable {
  /// Whether the class is more urgent than default.
  var isAboveDefault: Bool { get }
  /// Whether a system may use the queue of user-initiated for this class, too.
  var isMostUrgent: Bool { get }
}

extension QueuePriority.QoSClass {
  /// Whether the class is more urgent than default.
  var isAboveDefault: Bool { self == .userInteractive || self == .userInitiated }

  /// Whether the class is user-interactive, for which Linux uses the queue of user-initiated
  /// (`dispatch_get_global_queue` in libdispatch's init.c).
  var isMostUrgent: Bool { self == .userInteractive }

  /// The class in Swift.
  var qos: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .standard: .default
    case .utility: .utility
    case .background: .background
    }
  }

  /// The identifier for `dispatch_get_global_queue`: `QOS_CLASS_…`.
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
  /// Whether the priority is above default.
  var isAboveDefault: Bool { self == .high }

  /// Whether a system may use the queue of user-initiated for this priority: false, since each priority has its own
  /// queue.
  var isMostUrgent: Bool { false }

  /// The identifier for `dispatch_get_global_queue`: `DISPATCH_QUEUE_PRIORITY_…`.
  var identifier: Int {
    switch self {
    case .high: 2
    case .standard: 0
    case .low: -2
    case .background: Int(Int16.min)
    }
  }
}

/// The priorities of the threads of each class: their nice values, or on Darwin the classes that they report. A lower
/// value is more urgent.
struct ThreadPriorities: Sendable {
  /// A value for each class, the most urgent first.
  let values: [Int]

  /// Returns the values that a thread of each class reports.
  static func ofClasses() throws -> ThreadPriorities {
    ThreadPriorities(
      values: seen(
        QueuePriority.QoSClass.allCases.map { qosClass in
          { DispatchQueue.global(qos: qosClass.qos.qosClass).async(execute: $0) }
        }))
  }

  /// Returns the values of the threads on which these functions run a block.
  static func seen(_ run: [(@escaping @Sendable () -> Void) -> Void]) -> [Int] {
    let seen = Slots<Int>(count: run.count, of: 0)
    let all = DispatchGroup()
    for (index, run) in run.enumerated() {
      all.enter()
      run {
        seen[index] = ofCallingThread
        all.leave()
      }
    }
    all.wait()
    return seen.values
  }

  /// The value of the calling thread.
  static var ofCallingThread: Int {
    #if canImport(Darwin)
      -Int(qos_class_self().rawValue)
    #else
      // This is PRIO_PROCESS. On Linux each thread has a value of its own.
      Int(getpriority(0, 0))
    #endif
  }

  /// Verifies that default, utility and background differ, and that each is less urgent than the one before.
  ///
  /// - Throws: ``Unavailable`` with the values if they do not.
  func require() throws {
    let ranked = values.dropFirst(2)
    guard zip(ranked, ranked.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw Unavailable(
        "default, utility and background must differ in their nice values, which are "
          + ranked.map(String.init).joined(separator: ", "))
    }
  }

  /// Verifies that user-initiated, default, utility and background all differ.
  ///
  /// - Throws: ``Unavailable`` with the values if they do not.
  func requireAll() throws {
    try require()
    guard tells else {
      throw Unavailable(
        "user-initiated and default must differ in their nice values, which are \(values[1]) and \(values[2])")
    }
  }

  /// Whether the classes above default differ from it: a nice value below 0 needs a privilege.
  var tells: Bool { values[1] < values[2] }

  /// Returns whether `key` has a queue other than that of user-initiated, as far as the values show.
  func distinguishes(_ key: some Urgency) -> Bool { !key.isMostUrgent || values[0] < values[1] }

  /// Returns whether `value` lies between those of user-initiated and utility.
  func isBetween(_ value: Int) -> Bool { values[1] < value && value < values[3] }
}
