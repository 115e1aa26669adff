import CDispatchSupport
import Dispatch
import Laboratory

/// Which tasks go first when there is more to do than there are cores?
///
/// The documents name four global queues, of high, default, low and background priority, and say that tasks of the higher run
/// before those of the lower. Since then there are classes of service:
///
/// ```c
/// dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0)
///
/// dispatch_queue_attr_t attr = dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_SERIAL, qosClass, 0);
/// dispatch_queue_t queue = dispatch_queue_create(name, attr);
/// ```
///
/// All classes compete in one trial, but of two that are one queue only the second. It looks in two ways: at when tasks of the global queues *begin*, all of them added at
/// once, as the documents mean it; and at when tasks of private serial queues *end*, all of which spin behind one barrier,
/// each on a thread of its own.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues", "Getting the Global Concurrent Dispatch
/// Queues"; "GCD in depth", Queue Types; YYDispatchQueuePool.
struct QueuePriority: Pattern {
  static let name = "queue-priority"

  /// The classes of service, the first the most urgent.
  enum ServiceClass: String, CaseIterable, Sendable, Urgency {
    case userInteractive = "user-interactive"
    case userInitiated = "user-initiated"
    case standard = "default"
    case utility, background
  }

  /// The priorities of the older getter, the first the highest.
  enum Priority: String, CaseIterable, Sendable, Urgency {
    case high = "high-priority"
    case standard = "default-priority"
    case low = "low-priority"
    case background = "background-priority"
  }

  private static let alike =
    "of classes that are one queue only the last has figures; without a privilege those above default have none"

  let tasks = Setting.count("tasks", 1...16, default: 8, "tasks of each class")
  let work = Setting.duration(
    "work", .microseconds(1) ... .milliseconds(100), default: .milliseconds(5), "how long each spins")

  let classTime = Metric.latencies("time", for: ServiceClass.self, unless: QueuePriority.alike) {
    "from the start until a task of \($0.rawValue) begins on a global queue, or ends on a private one"
  }
  let priorityTime = Metric.latencies("time", for: Priority.self, unless: QueuePriority.alike) {
    "from the start until a task of \($0.rawValue) begins"
  }
  let queues = Metric.count("queues", "different global queues that the getter gives for these")
  let others = Metric.count(
    "others", "further global queues that it gives for the classes of service and for maintenance")
  let priorities = Metric.count(
    "priorities", unless: QueuePriority.alike,
    "different priorities of the threads that serve the queues of the document")
  let between = Metric.count(
    "between", unless: QueuePriority.alike,
    "queues without a class whose thread has a priority between those of user-initiated and of utility: 1 or 0")

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant(
      "global-priorities", .documented, "the four global queues of the document",
      own: [queues, others, priorities, priorityTime]
    ) { trial in
      try begin(trial, priorityTime) { priority in
        gcdlab_dispatch_get_global_queue(priority.identifier, 0)
      }
      try askForAll(trial) { identifier in
        gcdlab_dispatch_get_global_queue(identifier, 0)
      }
    }
    Variant("global-classes", .modern, "the global queues of the classes of service", own: [queues, classTime]) {
      trial in
      try begin(trial, classTime) { service in
        gcdlab_dispatch_get_global_queue(service.identifier, 0)
      }
    }
    Variant("private-classes", .documented, "private serial queues of a class of service", own: [between, classTime]) {
      trial in
      try end(trial, classTime) { service in
        DispatchQueue(label: "com.example.MyQueue", qos: service.qos)
      }
      try compare(trial, DispatchQueue(label: "com.example.MyQueue"))
    }
  }
}
