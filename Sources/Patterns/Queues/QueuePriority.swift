import CDispatchSupport
import Dispatch
import Instruments

/// Does the QoS class of a task determine when the task runs, if there are more tasks than cores?
///
/// "GCD in depth" lists four global queues, of high, default, low and background priority. The Concurrency Programming
/// Guide says that tasks of high and default priority run before tasks of low priority. QoS classes have replaced these
/// priorities. The guide requests a global queue by its priority. YYDispatchQueuePool creates each serial queue with an
/// attribute for its QoS class.
///
/// All classes compete in one trial. If the user-interactive class shares the queue of the user-initiated class, the
/// user-interactive class does not take part. Tasks on the global queues are submitted in shuffled order without a
/// pause, and the trial records when they *begin*, since the guide describes the order in which tasks begin. Each task
/// on a private serial queue has its own thread. These tasks start together at a spin barrier, and the trial records
/// when they *end*. In the variant `overtaking`, a task of the low priority is submitted last. The tasks of a higher
/// priority end only after the last task has begun, or after a time limit.
///
/// Sources: Concurrency Programming Guide, Dispatch Queues, "About Dispatch Queues", "Getting the Global Concurrent
/// Dispatch Queues"; "GCD in depth", Queue Types; YYDispatchQueuePool.
struct QueuePriority: Pattern {
  static let name = "queue-priority"

  /// The QoS classes, in descending order of urgency.
  enum QoSClass: String, CaseIterable, Sendable, Urgency {
    case userInteractive = "user-interactive"
    case userInitiated = "user-initiated"
    case standard = "default"
    case utility, background
  }

  /// The priorities of `dispatch_get_global_queue`, in descending order.
  enum Priority: String, CaseIterable, Sendable, Urgency {
    case high = "high-priority"
    case standard = "default-priority"
    case low = "low-priority"
    case background = "background-priority"
  }

  private static let alike =
    "a class is not measured if it shares a queue, or if it is above default and the process has no privilege"

  let tasks = Parameter.count("tasks", 1...64, default: 16, "tasks per class")
  let work = Parameter.duration(
    "work", .microseconds(1) ... .milliseconds(100), default: .milliseconds(5), "CPU time of a task")

  let classTime = Metric.latencies("time", for: QoSClass.self, missingIf: QueuePriority.alike) {
    "from the common start until a \($0.rawValue) task begins on a global queue, or ends on a private one"
  }
  let priorityTime = Metric.latencies("time", for: Priority.self, missingIf: QueuePriority.alike) {
    "from the common start until a task of \($0.rawValue) begins"
  }
  let queues = Metric.count(
    "queues", "different global queues that dispatch_get_global_queue returns for the priorities or classes")
  let otherQueues = Metric.count(
    "other-queues", "further global queues that dispatch_get_global_queue returns for QoS classes and for maintenance")
  let overtaken = Metric.count(
    "overtaken", "tasks that had not begun when a task of the low priority, submitted after them, began")
  let threadPriorities = Metric.count(
    "thread-priorities", "different priorities of the threads of the document's four queues")
  let unspecifiedBetween = Metric.count(
    "unspecified-between",
    "queues, of four of unspecified or default QoS, whose thread has a priority between user-initiated and utility")

  let levelWithDefault = Metric.count(
    "level-with-default",
    "queues, of three (global of high priority, private of user-initiated and of no QoS), whose thread has the priority of the default queue's thread"
  )
  let levelWithBackground = Metric.count(
    "level-with-background",
    "queues of higher priorities or classes, of seven, whose thread has the background priority"
  )

  var problem: [any Declaration] { [tasks, work] }

  var variants: [Variant] {
    Variant(
      "global-priorities", .documented, "tasks on the document's four global queues", beginOnEveryQueue()
    ) { identifier in
      gcdlab_dispatch_get_global_queue(identifier, 0)
    }
    Variant(
      "overtaking", .documented,
      "tasks on the high-priority global queue, then on the default one, which end once a later low-priority one begins",
      overtake([.high, .standard])
    ) { priority in
      gcdlab_dispatch_get_global_queue(priority.identifier, 0)
    }
    Variant(
      "global-qos-classes", .modern, "tasks on the global queues of the five QoS classes", begin(classTime)
    ) { qosClass in
      gcdlab_dispatch_get_global_queue(qosClass.identifier, 0)
    }
    Variant(
      "private-qos-classes", .documented, "one private serial queue per task, of each QoS class", end(classTime)
    ) { qosClass in
      DispatchQueue(label: "com.example.MyQueue", qos: qosClass.qos)
    }
    Variant(
      "thread-niceness", .documented,
      "priorities of the threads of the global queues, and of queues of unspecified or default QoS", readPriorities,
      needs: [.raisedPriority]
    ) { trial in
      let niceness = try ThreadPriorities.ofClasses()
      try niceness.requireAll()
      rank(trial) { priority in
        gcdlab_dispatch_get_global_queue(priority.identifier, 0)
      }
      compare(
        trial, niceness,
        [
          DispatchQueue(label: "com.example.serial"),
          DispatchQueue(label: "com.example.concurrent", attributes: .concurrent),
          DispatchQueue(label: "com.example.default", qos: .default),
          DispatchQueue(label: "com.example.unspecified", qos: .unspecified),
        ])
    }
    Variant(
      "thread-niceness-unprivileged", .documented,
      "priorities of threads that the trial's own thread starts, in a process that may not raise priorities",
      giveUpPrivileges,
      needs: [.linux], mainQueue: .nobody
    ) { queues in
      for queue in queues {
        queue.look()
        // Without this wait, the manager thread of Dispatch could start threads for the waiting queues. The manager
        // thread has the priority of the process's first thread.
        queue.awaitLook()
      }
    }
    Variant(
      "thread-niceness-from-background", .documented,
      "priorities of threads that a background block starts, in a process that may not raise them", giveUpPrivileges,
      needs: [.linux], mainQueue: .nobody
    ) { queues in
      DispatchQueue.global(qos: .background).async {
        for queue in queues { queue.look() }
      }
    }
  }

  private var readPriorities: TrialProbe { Probe(records: [threadPriorities, unspecifiedBetween]) }
}
