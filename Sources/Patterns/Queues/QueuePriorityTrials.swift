import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

extension QueuePriority {
  /// Returns an upper bound for the duration of a trial: the time that all tasks need if they run one after the other.
  func longest(_ trial: Trial) -> Duration? { trial[work] * (trial[tasks] * QoSClass.allCases.count) }

  /// Returns a probe that submits tasks to the global queues of the four priorities, and records when the tasks begin.
  /// The probe also requests the global queues of the QoS classes and of maintenance, and counts the queues that differ
  /// from the queues of the priorities. The body returns the queue for an identifier.
  ///
  /// - Parameter niceness: the priorities of the QoS classes' threads; nil to measure the priorities.
  func beginOnEveryQueue(
    niceness: ThreadPriorities? = nil
  ) -> Probe<@Sendable (_ identifier: Int) -> UnsafeMutableRawPointer?> {
    Probe(reads: [tasks, work], records: [queues, otherQueues, priorityTime]) { trial, get in
      try begin(priorityTime, niceness: niceness)(trial) { priority in get(priority.identifier) }
      askForAll(trial, get)
    }
  }

  /// Returns a probe that submits tasks to the queues of all keys in shuffled order, and records when the tasks begin.
  /// User-interactive is left out if the class shares the queue of user-initiated.
  ///
  /// The body returns the queue for a key. The trial is unavailable if the threads of the default, utility and
  /// background classes are not in descending order of urgency, or if not enough threads can be started.
  ///
  /// - Parameters:
  ///   - measure: the metrics to record, one for each key. A key above default is recorded only if user-initiated is
  ///     more urgent than default.
  ///   - niceness: the priorities of the QoS classes' threads; nil to measure the priorities.
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
          CalibratedWork.run(steps: steps, from: UInt64(task + 1))
          all.leave()
        }
      }
      all.wait()
      record(trial, measure, keys, count, times, niceness)
    }
  }

  /// Returns a probe that submits tasks to the queue of a higher priority, and then one task to the queue of the low
  /// priority. The probe does so for each of `priorities` in turn. The tasks of a higher priority are twice as many as
  /// the pool may run at the same time.
  ///
  /// The probe counts the tasks that had not begun when the last task began. The body returns the queue for a priority.
  ///
  /// The tasks of the higher priorities spin until the last task begins, so they occupy the threads of the pool. These
  /// tasks do not block, since the pool adds threads for tasks that block.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the tasks wait for the last task to begin.
  ///   - priorities: the priorities of the tasks that are submitted first.
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

  /// Returns a probe that submits spinning tasks to private queues, starts all of them at the same time, and records
  /// when they end. User-interactive is left out if the class shares the queue of user-initiated.
  ///
  /// The body creates a queue for a key, and is called once for each task. The trial is unavailable if the threads of
  /// the default, utility and background classes are not in descending order of urgency, or if not enough threads can
  /// be started.
  ///
  /// - Parameter measure: the metrics to record, one for each key. A key above default is recorded only if
  ///   user-initiated is more urgent than default.
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
          CalibratedWork.run(steps: steps, from: UInt64(task + 1))
          times[task] = start.elapsed
        }
      }
      all.wait()
      record(trial, measure, keys, count, times, niceness)
    }
  }

  /// Requests the global queues of the QoS classes and of maintenance, and records the number of queues that are not
  /// the queue of one of the four priorities.
  func askForAll(_ trial: Trial, _ get: (Int) -> UnsafeMutableRawPointer?) {
    let documented = Priority.allCases.map { get($0.identifier) }
    // 0x05 is QOS_CLASS_MAINTENANCE, which only the C library's own header declares.
    let further = (QoSClass.allCases.map(\.identifier) + [0x05]).map(get)
    trial.record(otherQueues, Set(further).subtracting(documented).count)
  }

  /// Records the number of different priorities among the threads of the four queues that `get` returns.
  func rank(_ trial: Trial, _ get: (Priority) -> UnsafeMutableRawPointer?) {
    let seen = ThreadPriorities.seen(Priority.allCases.map { RetainedQueue(created: get($0)).async })
    trial.record(threadPriorities, Set(seen).count)
  }

  /// Records the number of queues whose threads have a priority between user-initiated and utility.
  ///
  /// - Parameters:
  ///   - niceness: the priorities of the QoS classes' threads.
  ///   - queues: the queues to examine.
  func compare(_ trial: Trial, _ niceness: ThreadPriorities, _ queues: [DispatchQueue]) {
    let seen = ThreadPriorities.seen(queues.map { queue in { queue.async(execute: $0) } })
    trial.record(unspecifiedBetween, seen.count { niceness.isBetween($0) })
  }

  /// A probe that drops the permission to raise priorities, and then examines the threads of queues that have run no
  /// block yet.
  ///
  /// The probe counts the threads with the priority of the default queue's thread, and the threads with the background
  /// priority. The body starts the examination of the queues.
  ///
  /// Dispatch has no threads before the probe runs, since the process does not drain its main queue. An earlier thread
  /// would retain its original priority. The trial is unavailable if the process was started with a nice value other
  /// than 0, or if the thread of the background queue does not have a nice value above 0.
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
        throw Unavailable("the threads of the background class have the nice value \(background.niceness), like others")
      }
      trial.record(levelWithDefault, equals.count { $0.niceness == standard.niceness })
      trial.record(levelWithBackground, (equals + others).count { $0.niceness == background.niceness })
    }
  }

  private func record<Key: Urgency>(
    _ trial: Trial, _ measure: MetricFamily<Key, Duration>, _ keys: [Key], _ count: Int, _ times: Slots<UInt64?>,
    _ niceness: ThreadPriorities
  ) {
    for (index, key) in keys.enumerated() where niceness.distinguishesDefault || !key.isAboveDefault {
      trial.record(measure[key], (0..<count).map { times[index * count + $0] })
    }
  }
}

/// A queue that has not run a block, and the nice value of the thread that runs the queue's first block.
final class UnusedQueue: Sendable {
  private let all: DispatchGroup
  private let async: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let seen = Slots<Int>(count: 1, of: .max)
  private let hasSeen = DispatchSemaphore(value: 0)

  /// Creates a queue from a closure that submits a block to the queue. The group `all` does not end before the queue
  /// has run a block.
  init(_ all: DispatchGroup, _ async: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.all = all
    self.async = async
    all.enter()
  }

  /// Submits a block that records the nice value of its thread.
  func look() {
    async { [self] in
      seen[0] = ThreadPriorities.ofCallingThread
      hasSeen.signal()
      all.leave()
    }
  }

  /// Waits until the block has recorded the nice value.
  func awaitLook() { hasSeen.wait() }

  /// The nice value of the thread that ran the block. The value is valid after the block has run.
  var niceness: Int { seen[0] }
}

/// The time at which the first of several threads arrived.
private final class FirstArrival: Sendable {
  private let nanoseconds = Atomic<UInt64>(0)

  /// Records the current time, if the calling thread is the first to arrive.
  func set() {
    _ = nanoseconds.compareExchange(
      expected: 0, desired: MonotonicClock.now(), ordering: .acquiringAndReleasing)
  }

  /// The nanoseconds since the first arrival; meaningless before ``set()`` was called.
  var elapsed: UInt64 { MonotonicClock.now() - nanoseconds.load(ordering: .acquiring) }
}

/// A QoS class, or a priority that corresponds to a class.
protocol Urgency: Hashable, Sendable {
  /// Whether the class is more urgent than the default class.
  var isAboveDefault: Bool { get }
  /// Whether a system may use the queue of the user-initiated class for this class too.
  var isMostUrgent: Bool { get }
}

extension QueuePriority.QoSClass {
  /// Whether the class is more urgent than the default class.
  var isAboveDefault: Bool { self == .userInteractive || self == .userInitiated }

  /// Whether the class is user-interactive. For this class Linux uses the queue of the user-initiated class
  /// (`dispatch_get_global_queue` in libdispatch's init.c).
  var isMostUrgent: Bool { self == .userInteractive }

  /// The corresponding QoS class of Dispatch.
  var qos: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .standard: .default
    case .utility: .utility
    case .background: .background
    }
  }

  /// The identifier for `dispatch_get_global_queue`, which is a value of `QOS_CLASS_…`.
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
  /// Whether the priority is higher than the default priority.
  var isAboveDefault: Bool { self == .high }

  /// Whether a system may use the queue of the user-initiated class for this priority too. The value is always false,
  /// since each priority has its own queue.
  var isMostUrgent: Bool { false }

  /// The identifier for `dispatch_get_global_queue`, which is a value of `DISPATCH_QUEUE_PRIORITY_…`.
  var identifier: Int {
    switch self {
    case .high: 2
    case .standard: 0
    case .low: -2
    case .background: Int(Int16.min)
    }
  }
}

/// The priorities of the threads of each QoS class. A priority is a nice value, or on Darwin the negated value of the
/// class that the thread reports. A lower value is more urgent.
struct ThreadPriorities: Sendable {
  /// The priority of the threads of each class. The classes are in descending order of urgency.
  let values: [Int]

  /// Returns the priorities of the global queues' threads, one for each QoS class.
  static func ofClasses() throws -> ThreadPriorities {
    ThreadPriorities(
      values: seen(
        QueuePriority.QoSClass.allCases.map { qosClass in
          { DispatchQueue.global(qos: qosClass.qos.qosClass).async(execute: $0) }
        }))
  }

  /// Returns the priorities of the threads on which the closures in `run` execute a block.
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

  /// The priority of the calling thread: its nice value, or on Darwin its negated QoS class. A lower number is more
  /// urgent.
  static var ofCallingThread: Int {
    #if canImport(Darwin)
      -Int(qos_class_self().rawValue)
    #else
      // The first argument is PRIO_PROCESS. On Linux, each thread has its own nice value.
      Int(getpriority(0, 0))
    #endif
  }

  /// Verifies that the default class is more urgent than utility, and that utility is more urgent than background.
  ///
  /// - Throws: ``Unavailable`` with the priorities if they are not in this order.
  func require() throws {
    let ranked = values.dropFirst(2)
    guard zip(ranked, ranked.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw Unavailable(
        "default, utility and background must differ in their nice values, which are "
          + ranked.map(String.init).joined(separator: ", "))
    }
  }

  /// Verifies that user-initiated, default, utility and background are in descending order of urgency.
  ///
  /// - Throws: ``Unavailable`` with the priorities if they are not in this order.
  func requireAll() throws {
    try require()
    guard distinguishesDefault else {
      throw Unavailable(
        "user-initiated and default must differ in their nice values, which are \(values[1]) and \(values[2])")
    }
  }

  /// Whether user-initiated is more urgent than default. On Linux, user-initiated has a nice value below 0, which
  /// requires a privilege.
  var distinguishesDefault: Bool { values[1] < values[2] }

  /// Returns false if `key` is user-interactive and its threads are not more urgent than the threads of user-initiated,
  /// since the two classes then share a queue. Otherwise returns true.
  func distinguishes(_ key: some Urgency) -> Bool { !key.isMostUrgent || values[0] < values[1] }

  /// Returns whether `value` is between the priorities of user-initiated and utility.
  func isBetween(_ value: Int) -> Bool { values[1] < value && value < values[3] }
}
