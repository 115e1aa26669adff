/// The functions that an explored program calls.
extension Execution {
  /// Executes `body` on `count` threads, and waits until all threads have ended. Each call of `body` receives the index
  /// of its thread, from 0.
  public static func threads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let execution = now
    let threads = (0..<count).map { thread in execution.spawn("thread \(thread + 1)") { body(thread) } }
    execution.join(threads)
  }

  /// Executes `body` on a new thread, and returns at once. Descriptions of steps contain the `name` of the thread.
  public static func thread(_ name: String, _ body: @escaping @Sendable () -> Void) { _ = now.spawn(name, body) }

  /// Calls `create`, which must create a task, and names the task. Other tasks have numbers.
  public static func task(named name: String, _ create: () -> Void) {
    let execution = now
    execution.taskName = name
    create()
    execution.taskName = nil
  }

  /// Waits until every other thread, block or task has ended or is waiting.
  public static func settle() {
    let execution = now
    let caller = execution.current
    execution.step(.everything, "waits for everything to end", silent: true) {
      execution.strands.allSatisfy { $0 === caller || $0.next.map { !($0.canRun?() ?? true) } ?? true }
    }
  }

  /// Waits until `condition` is true.
  ///
  /// - Parameter what: a description of the wait for the report of a deadlock, such as `waits for the result`.
  public static func wait(_ what: @autoclosure @escaping () -> String, until condition: @escaping () -> Bool) {
    now.step(.everything, what(), silent: true, when: condition)
  }

  /// Records that the execution breaks a promise. Later calls have no effect.
  ///
  /// - Parameter promise: a short description of the violation, such as `two instances`.
  public static func breaks(_ promise: String) { now.fail(.breaks(promise)) }

  /// Appends text to the description of the current step.
  ///
  /// The reduction takes only shared objects into account. If a step changes a value that is not a shared object, the
  /// program may read that value only after all threads have ended.
  public static func note(_ words: @autoclosure () -> String) { now.describe(words()) }

  /// Appends text to the description of the calling thread's next step.
  public static func announce(_ words: @autoclosure () -> String) {
    let execution = now
    if execution.isRecording { execution.current?.announced.append(words()) }
  }

  /// Makes a step without effects. Only the position of the step in the schedule matters. `words` describe the step in
  /// a record.
  public static func step(_ words: @autoclosure () -> String) {
    let execution = now
    execution.step(.everything, "takes its turn")
    execution.describe(words())
  }

  /// Limits the pool that tasks and the blocks of global queues share to `width` threads for each priority.
  ///
  /// A task then occupies a thread until the task suspends or ends, even while a call blocks the task. Each access of a
  /// task to the shared state is a step. Call this method before the program creates a task or submits a block.
  public static func limitPool(to width: Int) { now.pool = ModelPool(width: width) }
}
