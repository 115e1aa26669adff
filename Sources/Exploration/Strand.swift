import CDispatchSupport

/// One thread of an execution: a thread of the program, a block of a queue, or a task of Swift concurrency.
///
/// A thread or block is a fiber, which pauses before each of its steps. A task is a series of jobs, each of which is
/// one step.
final class Strand {
  let number: Int
  let name: String
  /// The queues and locks that the strand holds. They are part of the footprint of each of its steps, since a step also
  /// releases the queues and locks that the strand no longer needs.
  var held: [Int] = []
  /// The step that the strand will make next; nil if it has ended, or if its task is suspended.
  var next: Step?
  /// The fiber of a thread or block that has not ended.
  var fiber: OpaquePointer?
  /// Whether the fiber will never end.
  var isStuck = false
  /// The job of a task that has one to run.
  var job: UnsafeMutableRawPointer?

  /// Words for the next step.
  var announced: [String] = []

  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }

  /// The footprint of the next step.
  var footprint: Footprint { (next?.footprint() ?? .nothing).union(.changing(held)) }
}

/// A step that a strand is about to make.
struct Step {
  /// The shared objects that the step may change or read. The closure is called at each choice, since the result may
  /// depend on the steps of other strands.
  let footprint: () -> Footprint
  /// The effect of the step, in the words of an error.
  let what: () -> String
  /// Whether the step can be made now; nil if it always can.
  let canRun: (() -> Bool)?
}
