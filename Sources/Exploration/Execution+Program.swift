/// What an explored program calls.
extension Execution {
  /// Runs `body` on `count` threads, and waits until all have ended.
  public static func threads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let execution = now
    let threads = (0..<count).map { thread in execution.spawn("thread \(thread + 1)") { body(thread) } }
    execution.join(threads)
  }

  /// Runs `body` on a thread of its own.
  public static func thread(_ name: String, _ body: @escaping @Sendable () -> Void) { _ = now.spawn(name, body) }

  /// Waits until nothing else can run: every other thread, block and task has ended or waits.
  public static func settle() {
    let execution = now
    let me = execution.current
    execution.step(.everything, "waits for everything to end", silent: true) {
      execution.strands.allSatisfy { $0 === me || $0.next.map { !($0.canRun?() ?? true) } ?? true }
    }
  }

  /// Waits until `condition` is true.
  public static func wait(_ what: @autoclosure @escaping () -> String, until condition: @escaping () -> Bool) {
    now.step(.everything, what(), silent: true, when: condition)
  }

  /// Records that the execution breaks a promise. Only the first call has an effect.
  ///
  /// - Parameter promise: what happened, in a few words: `two instances`.
  public static func breaks(_ promise: String) { now.fail(.breaks(promise)) }

  /// Adds words to the description of the current step.
  ///
  /// The reduction knows only shared objects. If a step changes anything else, the program may read that only after all
  /// threads have ended.
  public static func note(_ words: @autoclosure () -> String) { now.says(words()) }

  /// Adds words to the description of the calling thread's next step.
  public static func announce(_ words: @autoclosure () -> String) {
    let execution = now
    if execution.isRecording { execution.current?.announced.append(words()) }
  }

  /// Makes a step that has no effect apart from its place in the order.
  public static func step(_ words: @autoclosure () -> String) {
    let execution = now
    execution.step(.everything, "takes its turn")
    execution.says(words())
  }

  /// Gives each priority `width` threads for its tasks, which the blocks of the global queues share.
  ///
  /// A task then keeps its thread while a call blocks it, until the task suspends or ends. Each access of a task to the
  /// shared state is a step. Call this method before the program creates a task or submits a block.
  public static func limitPool(to width: Int) { now.pool = ModelPool(width: width) }
}
