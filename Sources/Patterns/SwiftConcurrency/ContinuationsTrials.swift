import Dispatch
import Instruments
import Synchronization

extension Continuations {
  /// A probe that times round trips in batches of a thousand. The variant's body makes `count` round trips with the
  /// numbers from 0 to `count` - 1, and returns how many answers are not the number of their round trip. The probe also
  /// records the number of these answers.
  var timeRoundTrips: Probe<@Sendable (_ count: Int) async -> Int> {
    Probe(reads: [roundTrips], records: [roundTrip, wrong]) { trial, makeRoundTrips in
      let (batch, count) = (1000, trial[roundTrips])
      try waitFor { [roundTrip, wrong] in
        var wrongAnswers = 0
        // The first batch is a warm-up.
        for index in 0...max(1, count / batch) {
          let begin = MonotonicClock.now()
          let wrongInBatch = await makeRoundTrips(batch)
          let nanoseconds = MonotonicClock.now() - begin
          wrongAnswers += wrongInBatch
          if index > 0 { trial.record(roundTrip, nanoseconds, over: batch) }
        }
        trial.record(wrong, wrongAnswers)
      }
    }
  }

  /// A probe that runs tasks that each wait for a number from a resumer, and records how many tasks received a wrong
  /// number.
  var runEachAnswer: Probe<@Sendable (_ number: Int, _ resumer: Resumer) async -> Int> {
    Probe(reads: [tasks], records: [wrong], threads: { [tasks] trial in trial[tasks] }) { trial, ask in
      let count = trial[tasks]
      let wrong = try waitFor {
        await withTaskGroup(of: Bool.self) { group in
          for number in 0..<count {
            group.addTask { await ask(number, Resumer.allCases[number % Resumer.allCases.count]) == number }
          }
          var wrong = 0
          for await isRight in group where !isRight { wrong += 1 }
          return wrong
        }
      }
      trial.record(self.wrong, wrong)
    }
  }

  /// Runs tasks that execute `wait`, and then executes `serve`. The closure `wait` suspends its task at a continuation,
  /// and the closure `serve` resumes all the tasks. Records how many operations ran on a thread other than the thread
  /// of the preceding code, and how many tasks continued before `serve` had returned. The trial is unavailable if the
  /// system does not report whether threads sleep.
  func suspendAndResume(
    _ trial: Trial, _ wait: @escaping @Sendable (WaitingTasks) async -> Void,
    _ serve: @escaping @Sendable (WaitingTasks) async -> Void
  ) throws {
    let waiting = WaitingTasks(trial[tasks], standstill)
    try waitFor {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<waiting.count { group.addTask { await wait(waiting) } }
        await waiting.allWait()
        await serve(waiting)
      }
    }
    try waiting.wait.requireResult()
    trial.record(elsewhere, waiting.elsewhere.count)
    trial.record(early, waiting.early.count)
  }

  /// A probe that starts processes in which the variant's body resumes a continuation twice. The probe records how many
  /// processes did not trap, and how many did not name the misuse on standard error.
  var runEachProcess: Probe<@Sendable (_ isSecondLater: Bool) async -> Void> {
    Probe(reads: [processes], records: [survivors, unnamed]) { trial, body in
      try runProcesses(trial, of: trial.variant, body)
    }
  }

  /// Starts processes in which `body` resumes a continuation twice, and records how the processes ended. If the calling
  /// process is one of these processes, the method only executes `body`.
  ///
  /// - Parameter variant: the name of the variant whose body the processes run.
  func runProcesses(
    _ trial: Trial, of variant: String, _ body: @escaping @Sendable (_ isSecondLater: Bool) async -> Void
  ) throws {
    if let isSecondLater = MisusingProcess.isSecondLater { return try waitFor { await body(isSecondLater) } }
    ignoreBrokenPipes()
    var (survivors, unnamed) = (0, 0)
    for index in 0..<trial[processes] {
      let end = try MisusingProcess.run(
        executable, TrialRequest(pattern: Self.name, variant: variant), isSecondLater: index % 2 == 1)
      if ChildProcess.wasKilled(end.status) { throw Unavailable.killed }
      if !ChildProcess.hasTrapped(end.status) { survivors += 1 }
      if !end.said.contains(Misuse.twice) { unnamed += 1 }
    }
    trial.record(self.survivors, survivors)
    trial.record(self.unnamed, unnamed)
  }

  /// A probe that runs tasks whose continuations are released without being resumed. The probe records how many
  /// warnings are missing, how many tasks continued, and how many tasks were freed.
  var forget: Probe<@Sendable (ForgottenTask) async -> Void> {
    Probe(reads: [tasks], records: [unwarned, continued, freed]) { trial, wait in
      let tasks = ForgottenTasks(trial[tasks])
      let said = try StandardError.whileIt {
        for task in tasks.all { Task { await wait(task) } }
        guard tasks.state.wait(within: .seconds(20), until: { $0.waiting == tasks.count }) else {
          throw WaitTimeoutError("the tasks did not reach their continuations", within: .seconds(20))
        }
        try standstill.wait()
        tasks.drop()
        try standstill.wait()
      }
      let state = tasks.state.now
      trial.record(unwarned, max(0, tasks.count - said.lines(with: Misuse.leaked)))
      trial.record(continued, state.continued)
      trial.record(freed, state.freed)
    }
  }
}

/// The messages of the standard library about a misused continuation.
private enum Misuse {
  static let twice = "tried to resume its continuation more than once"
  static let leaked = "leaked its continuation"
}

/// The kind of code that resumes a continuation.
enum Resumer: CaseIterable, Sendable {
  /// The operation that received the continuation.
  case operation
  /// A new thread.
  case thread
  /// A block on a queue.
  case queue
  /// Another task.
  case task

  /// Executes `resume` in code of this kind. If no thread can be started, executes `resume` in the calling code.
  func run(_ resume: @escaping @Sendable () -> Void) {
    switch self {
    case .operation: resume()
    case .thread: do { try SystemThread(resume).detach() } catch { resume() }
    case .queue: DispatchQueue.global().async(execute: resume)
    case .task: Task { resume() }
    }
  }
}

/// Tasks that suspend at continuations until one call resumes all of them.
final class WaitingTasks: Sendable {
  /// The number of tasks.
  let count: Int
  fileprivate let wait: StandstillWait
  private let waiting = Atomic(0)
  private let all = TimedGate()

  init(_ count: Int, _ standstill: Standstill) { (self.count, wait) = (count, StandstillWait(standstill)) }

  /// The identifier of the calling thread.
  var currentThread: Int { ThreadCensus.currentThread }
  /// Records that the operation of a task runs, and whether the operation runs on a thread other than `thread`.
  func operationRuns(after thread: Int) {
    if ThreadCensus.currentThread != thread { elsewhere.add() }
    if waiting.add(1, ordering: .relaxed).newValue == count { all.open() }
  }
  /// Suspends the caller until the operations of all tasks have run.
  func allWait() async { await all.wait() }
  /// Records that a task has resumed.
  func continues() { gone.add() }
  /// Waits until a task has continued or all other threads sleep, and records how many tasks have continued. The call
  /// that resumes the tasks must call this method last. Without the wait, the call could return before a task that is
  /// able to continue has been given a thread.
  func allAreResumed() {
    wait.wait { gone.count > 0 }
    early.add(gone.count)
  }

  /// The number of operations that ran on a thread other than the thread of the preceding code.
  let elsewhere = Tally()
  /// The number of tasks that have continued.
  let gone = Tally()
  /// The number of tasks that continued before the call that resumed them had returned.
  let early = Tally()
}

/// Tasks whose continuations are released without being resumed.
final class ForgottenTasks: Sendable {
  struct State {
    var waiting = 0
    var continued = 0
    var freed = 0
    /// The closures that release the continuations that objects retain.
    var drops: [@Sendable () -> Void] = []
  }

  let count: Int
  let state = WaitableValue(State())

  init(_ count: Int) { self.count = count }

  /// The tasks of a trial. Every second task has a continuation that an object retains.
  var all: [ForgottenTask] { (0..<count).map { ForgottenTask(isHeld: $0 % 2 == 1, tasks: self) } }
  /// Releases the continuations that objects retain.
  func drop() { for drop in state.note({ state in exchange(&state.drops, []) }) { drop() } }
}

/// Replaces the value of a variable, and returns the previous value.
private func exchange<Value>(_ variable: inout Value, _ value: Value) -> Value {
  defer { variable = value }
  return variable
}

/// A task whose continuation is released without being resumed.
final class ForgottenTask: Sendable {
  /// Whether an object retains the continuation until ``ForgottenTasks/drop()``.
  let isHeld: Bool
  private let tasks: ForgottenTasks

  fileprivate init(isHeld: Bool, tasks: ForgottenTasks) {
    self.isHeld = isHeld
    self.tasks = tasks
  }

  /// Records that the task was freed. The task holds the only reference to this object.
  deinit { tasks.state.note { $0.freed += 1 } }

  /// Records that the operation of the continuation ends, and stores `drop`, which later releases a retained
  /// continuation.
  func operationEnds(dropping drop: @escaping @Sendable () -> Void) {
    tasks.state.note { state in
      state.drops.append(drop)
      state.waiting += 1
    }
  }
  /// Records that the task continues.
  func continues() { tasks.state.note { $0.continued += 1 } }
}

/// An object that retains a continuation, if one is set.
///
/// Conformance to `Sendable` is unchecked: the operation sets the continuation, and the trial releases the continuation
/// only after a standstill.
final class Holder<Continuation>: @unchecked Sendable {
  private var held: Continuation?
  /// The retained continuation; nil before it is set and after it is released.
  var continuation: Continuation? {
    get { held }
    set { held = newValue }
  }
  /// Releases the continuation.
  @Sendable func drop() { held = nil }
}

/// A capture of the text that this process writes to standard error.
private enum StandardError {
  /// Executes `body`, and returns the text that was written to standard error during the call. The text must not exceed
  /// the capacity of a pipe.
  ///
  /// - Throws: ``SystemError`` if standard error cannot be redirected; otherwise the error of `body`.
  static func whileIt(_ body: () throws -> Void) throws -> String {
    let pipe = try makePipe()
    defer { close(pipe.reader) }
    let before = dup(STDERR_FILENO)
    guard before >= 0, dup2(pipe.writer, STDERR_FILENO) >= 0 else {
      let error = SystemError(errno, "redirect standard error")
      close(pipe.writer)
      if before >= 0 { close(before) }
      throw error
    }
    close(pipe.writer)
    defer { close(before) }
    do {
      try body()
      dup2(before, STDERR_FILENO)
    } catch {
      dup2(before, STDERR_FILENO)
      throw error
    }
    return readAll(pipe.reader)
  }
}

/// Reads a descriptor until the end of the file or an error, and returns the bytes as text.
private func readAll(_ descriptor: Int32) -> String {
  var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
    bytes += buffer[..<count]
  }
}

extension String {
  /// Returns the number of lines that contain `text`.
  fileprivate func lines(with text: String) -> Int { split(separator: "\n").count { $0.contains(text) } }
}

/// A worker of this binary that resumes a continuation twice, for a trial that reads the worker's standard error.
private enum MisusingProcess {
  private static let name = "GCDLAB_MISUSE"

  /// Whether the worker resumes the continuation for the second time after the operation has returned; nil if this
  /// process is not such a worker.
  static var isSecondLater: Bool? { Terminal.environment(name).map { $0 == "later" } }

  /// Starts a worker, waits until the worker has ended, and returns its wait status and its output.
  static func run(_ executable: ExecutableFile, _ request: TrialRequest, isSecondLater: Bool) throws -> (
    status: Int32, said: String
  ) {
    let input = try makePipe()
    let output: (reader: Int32, writer: Int32)
    do { output = try makePipe() } catch {
      close(input.reader)
      close(input.writer)
      throw error
    }
    defer {
      close(input.writer)
      close(output.reader)
    }
    let child: ChildProcess
    do {
      defer {
        close(input.reader)
        close(output.writer)
      }
      child = try ChildProcess(
        executable, ["worker"],
        environment: [name: isSecondLater ? "later" : "operation", "SWIFT_BACKTRACE": "enable=no"],
        descriptors: [STDIN_FILENO: input.reader, STDOUT_FILENO: output.writer, STDERR_FILENO: output.writer])
    }
    // If the write fails because the process has already ended, the status of the process reports the reason.
    try? writeAll(request.line, to: input.writer)
    let said = readAll(output.reader)
    guard let status = child.waitForStatus() else { throw SystemError(ECHILD, "wait for a process") }
    return (status, said)
  }
}
