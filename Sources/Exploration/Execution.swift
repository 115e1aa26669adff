import CDispatchSupport

/// One execution of a program, with one order of the program's steps.
///
/// All threads, blocks and tasks of the program are strands. One strand runs at a time. A strand pauses before each
/// step, and a ``Chooser`` decides which strand makes the next step. A step ends before the next step of its strand.
/// The program's memory is therefore sequentially consistent: all threads observe the steps in one order.
///
/// The exploring thread and the threads of fibers use the objects of an execution one at a time. The conformance of
/// these objects, in this module and in the explored patterns, to `Sendable` is therefore unchecked.
public final class Execution: @unchecked Sendable {
  /// The maximum number of steps of an execution.
  static let longest = 5_000

  /// The strands, by number.
  var strands: [Strand] = []
  /// The strands of tasks, keyed by the address of the task.
  var taskStrands: [UInt: Strand] = [:]
  /// The name of the next task; nil to number the task.
  var taskName: String?
  /// The pool for tasks and for blocks of global queues; nil if the number of threads is not limited.
  var pool: ModelPool?
  /// The main queue of the program.
  private(set) lazy var mainQueue = ModelQueue(label: "main")

  /// The strand that is running; nil between two steps.
  private(set) var current: Strand?
  /// The new strands that have not reached their first step.
  private var unstarted: [Strand] = []
  private var fibers: FiberPool
  private var objects = 0
  private var blocks = 0
  /// Whether the current step is a job of a task without its own thread.
  private var isInJob = false

  /// The numbers of the strands that made the steps so far, in order.
  private var chosen: [Int] = []
  /// The recorded steps; nil if steps are not recorded.
  private var record: [ScheduleRecord.Step]?
  /// The first defect, or the first operation that cannot be explored; nil if neither has occurred.
  private var failure: ExecutionOutcome?
  /// The number of steps up to ``failure``; nil if there is no failure.
  private var decided: Int?

  /// Whether the execution is over. The strands then run to their ends without pausing.
  private var isOver = false
  private var stepsAfterEnd = 0
  private var endings: [() -> Void] = []

  private init(fibers: FiberPool, isRecording: Bool) {
    self.fibers = fibers
    if isRecording { record = [] }
  }

  /// The current execution of the calling thread. Without an execution, the access traps.
  static var now: Execution {
    guard let execution = gcdlab_execution() else {
      fatalError("an object is used outside its exploration, for example by a task after Task.sleep or Task.yield")
    }
    return Unmanaged<Execution>.fromOpaque(execution).takeUnretainedValue()
  }

  // MARK: For objects

  /// Registers `body`, which is called at the end of the execution. An object whose handlers refer to the object itself
  /// releases the handlers in `body`.
  func atEnd(_ body: @escaping () -> Void) { endings.append(body) }

  /// Returns an unused number for a new shared object.
  func makeObject() -> Int {
    objects += 1
    return objects
  }

  /// Pauses the calling strand until the strand is chosen to make a step. A job without its own thread does not pause.
  /// If such a job cannot make the step, the program cannot be explored. After the end of the execution, the call does
  /// not wait.
  ///
  /// - Parameters:
  ///   - silent: whether the step is omitted from reports.
  ///   - canRun: a closure that returns whether the step can be made; nil if the step can always be made.
  func step(
    _ footprint: @autoclosure @escaping () -> Footprint, _ what: @autoclosure @escaping () -> String,
    silent: Bool = false,
    when canRun: (() -> Bool)? = nil
  ) {
    guard !isOver, let strand = current else { return runOn() }
    if isInJob {
      // A job is one step, and cannot wait for other strands within the step.
      if let canRun, !canRun() { fail(.unable("a task blocks its thread: it \(what())")) }
      return
    }
    strand.next = Step(footprint: footprint, what: what, canRun: canRun)
    if let fiber = strand.fiber { gcdlab_fiber_pause(fiber) }
    if silent, !isOver, record != nil { record?[chosen.count - 1].isSilent = true }
  }

  /// Counts a step of the calling strand after the end of the execution. A strand that loops until another strand acts
  /// would never end. Such a strand is therefore stopped permanently after ``longest`` steps, and the objects on its
  /// stack leak.
  private func runOn() {
    stepsAfterEnd += 1
    guard stepsAfterEnd > Self.longest, !isInJob, let strand = current, let fiber = strand.fiber else { return }
    strand.isStuck = true
    gcdlab_fiber_pause(fiber)
  }

  /// Appends text to the description of the current step, after the texts that the strand announced for this step. Has
  /// no effect if steps are not recorded.
  func describe(_ words: @autoclosure () -> String) {
    guard isRecording, !chosen.isEmpty else { return }
    record?[chosen.count - 1].words += (current?.announced ?? []) + [words()]
    current?.announced = []
  }

  /// Whether descriptions of steps are recorded.
  var isRecording: Bool { record != nil && !isOver }

  /// Records a defect, or that the program cannot be explored. Later calls, and calls after the end of the execution,
  /// have no effect.
  func fail(_ outcome: ExecutionOutcome) {
    guard !isOver, failure == nil else { return }
    failure = outcome
    decided = chosen.count
    if !chosen.isEmpty { record?[chosen.count - 1].breaks = outcome.words }
  }

  /// Creates a strand that executes `body` on a fiber. The strand is a thread or a block.
  @discardableResult func spawn(_ name: String, _ body: @escaping () -> Void) -> Strand {
    let strand = Strand(number: strands.count, name: name)
    strands.append(strand)
    unstarted.append(strand)
    // If the pool is limited, a block may run jobs, and a job can pause only on a fiber with its own thread.
    strand.fiber = fiber(onThread: pool != nil, body)
    return strand
  }

  /// Returns a fiber that executes `body`. If no fiber can be created, records that the program cannot be explored, and
  /// returns nil.
  func fiber(onThread: Bool, _ body: @escaping () -> Void) -> OpaquePointer? {
    let fiber = fibers.take(onThread: onThread, body)
    if fiber == nil { fail(.unable("there is no memory for another stack, or no thread can be started")) }
    return fiber
  }

  /// Creates a strand for a block that is submitted to a queue.
  func spawnBlock(_ body: @escaping () -> Void) -> Strand {
    blocks += 1
    return spawn("block \(blocks)", body)
  }

  /// Waits until all strands in `threads` have ended.
  func join(_ threads: [Strand]) {
    repeat {
      step(.everything, "waits for the threads", silent: true) { threads.allSatisfy { $0.fiber == nil } }
      // After the end of an execution, steps do not wait. The strand waits here, since objects that the threads share
      // must outlive the threads.
      if isOver, let strand = current, let fiber = strand.fiber, threads.contains(where: { $0.fiber != nil }) {
        gcdlab_fiber_pause(fiber)
      }
    } while threads.contains { $0.fiber != nil }
  }

  /// Records that the current strand holds more objects, which are given by their numbers.
  func hold(_ objects: [Int]) { current?.held.append(contentsOf: objects) }
  /// Records that the current strand no longer holds some objects.
  func release(_ objects: [Int]) {
    for object in objects { if let index = current?.held.lastIndex(of: object) { current?.held.remove(at: index) } }
  }

  // MARK: Running

  /// Executes `program` once, and returns the record. The chooser makes all choices. The record contains steps only if
  /// `recording` is true.
  static func run(
    _ program: @escaping @Sendable () -> Void, choosing chooser: some Chooser, fibers: FiberPool,
    recording: Bool = false
  ) -> ScheduleRecord {
    _ = takesJobs
    let execution = Execution(fibers: fibers, isRecording: recording)
    let before = gcdlab_execution()
    gcdlab_set_execution(Unmanaged.passUnretained(execution).toOpaque())
    defer { gcdlab_set_execution(before) }
    execution.spawn("caller", program)
    let outcome = execution.explore(chooser)
    execution.end()
    return ScheduleRecord(
      outcome: outcome, schedule: execution.chosen, decided: execution.decided ?? execution.chosen.count,
      steps: execution.record ?? [],
      strands: execution.strands.map(\.name))
  }

  /// Makes steps until no strand can make a step, the chooser abandons the execution, the program traps or cannot be
  /// explored, or the maximum number of steps is reached. Returns the outcome.
  private func explore(_ chooser: some Chooser) -> ExecutionOutcome {
    var choices: [Choice] = []
    while true {
      start()
      if let failure, case .trap = failure { return failure }
      if let failure, case .unable = failure { return failure }
      choices.removeAll(keepingCapacity: true)
      var isWaiting = false
      for strand in strands {
        guard let step = strand.next else { continue }
        if let canRun = step.canRun, !canRun() {
          isWaiting = true
        } else {
          choices.append(Choice(strand: strand.number, footprint: strand.footprint))
        }
      }
      if choices.isEmpty { return isWaiting ? failure ?? .deadlock(waiting) : failure ?? .holds }
      guard chosen.count < Self.longest else { return .endless }
      guard let choice = chooser.choose(choices, after: chosen.last) else { return .abandoned }
      let strand = strands[choice]
      chosen.append(choice)
      if record != nil { record?.append(ScheduleRecord.Step(strand: choice)) }
      resume(strand)
    }
  }

  /// Runs new strands up to their first steps.
  private func start() {
    while !unstarted.isEmpty {
      let strands = unstarted
      unstarted = []
      for strand in strands { resume(strand) }
    }
  }

  /// Resumes a strand until the strand pauses before a further step, or ends. If a job has no thread of its own, the
  /// whole job runs.
  private func resume(_ strand: Strand) {
    strand.next = nil
    current = strand
    defer { current = nil }
    if let job = strand.job {
      strand.job = nil
      if let pool {
        begin(job, of: strand, in: pool)
        return resumeFiber(of: strand)
      }
      isInJob = true
      gcdlab_run_job(job)
      isInJob = false
    } else {
      resumeFiber(of: strand)
    }
  }

  private func resumeFiber(of strand: Strand) {
    guard let fiber = strand.fiber, gcdlab_fiber_resume(fiber) else { return }
    strand.fiber = nil
    fibers.giveBack(fiber)
  }

  /// Runs all strands to their ends without waiting. The strands thereby release their memory.
  private func end() {
    isOver = true
    var turns = 0
    // The strands end in the reverse order of their creation, since strands may share objects on the stack of the
    // strand that created them.
    while turns < Self.longest, let strand = strands.last(where: { !$0.isStuck && ($0.fiber != nil || $0.job != nil) })
    {
      unstarted = []
      stepsAfterEnd = 0
      resume(strand)
      turns += 1
    }
    for ending in endings { ending() }
    endings = []
  }

  /// A text for each strand that waits: the name of the strand, and what the strand waits for.
  private var waiting: [String] {
    strands.compactMap { strand in strand.next.map { "\(strand.name) \($0.what())" } }
  }
}
