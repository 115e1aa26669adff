import CDispatchSupport

/// A sequence of steps in an execution: a thread of the program, a block of a queue, or a task of Swift concurrency.
///
/// A thread or block is a fiber, which pauses before each step. A task is a series of jobs. Each job is one step. If
/// the pool is limited, each job runs on a fiber instead, and can consist of several steps.
final class Strand {
  let number: Int
  let name: String
  /// The queues and locks that the strand holds. The footprint of each step includes these objects, since a step also
  /// releases queues and locks that the strand no longer needs.
  var held: [Int] = []
  /// The next step of the strand; nil before the first step, while the strand runs, while its task is suspended, and
  /// after the end of the strand.
  var next: Step?
  /// The fiber on which the strand runs; nil for a task whose jobs run without a fiber, between two jobs of a task, and
  /// after the end of the strand.
  var fiber: OpaquePointer?
  /// Whether the fiber was stopped permanently.
  var isStuck = false
  /// The next job of a task; nil if no job is pending.
  var job: UnsafeMutableRawPointer?

  /// The texts that the strand has recorded in advance for its next step. The execution adds these texts to the
  /// description of the step.
  var announced: [String] = []

  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }

  /// The shared objects that the next step may change or read.
  var footprint: Footprint { (next?.footprint() ?? .nothing).union(.changing(held)) }
}

/// A pending step of a strand.
struct Step {
  /// A closure that returns the shared objects that the step may change or read. The closure is called at each choice,
  /// since the result may depend on the steps of other strands.
  let footprint: () -> Footprint
  /// A closure that returns a description of the step, such as `waits for the result`.
  let what: () -> String
  /// A closure that returns whether the step can be made; nil if the step can always be made.
  let canRun: (() -> Bool)?
}
