import Dispatch
import Instruments
import Platform
import Synchronization

/// The code that runs the trials and records their metrics, and the finding about the number of threads.
extension LockScaling: FindingPattern {
  /// Returns an array with one note, which states the number of threads at each setting of a comparison. If an actor is
  /// compared with locks, the note adds that as many tasks enter the actor. Returns an empty array if the experiment is
  /// not a comparison, or if no trial completed.
  func findings(in results: Results) -> [RunNote] {
    guard results.experiment.isComparison,
      results.runs.flatMap(\.trials).contains(where: { $0.outcome == .completed })
    else { return [] }
    let settings = results.runs.grouped { threadsPerCore.value(in: $0.parameters) ?? 0 }.map { setting, runs in
      let counts = Set(runs.map { threads($0.cores ?? results.machine.usedCores, setting) }).sorted()
      return "\(counts.map(String.init).joined(separator: " or ")) at \(threadsPerCore.name) \(setting)"
    }
    let names = Set(results.runs.map(\.variant.name))
    let ofTasks =
      names.contains("actor") && names.count > 1
      ? "; as many tasks enter the actor, on at most one thread for each core" : ""
    let says =
      "Threads: \(settings.joined(separator: ", "))\(ofTasks). They do nothing between two entries; threads that work "
      + "in between contend less."
    return [RunNote(Conclusion.advice, says, runs: results.runs.map(\.label))]
  }

  /// Runs threads that enter a guarded section. There are three runs: a timed run, an observed run, and a run in which
  /// system calls are counted.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first thread in the section waits for a second thread. A correct lock
  ///     excludes the second thread.
  ///   - enter: a closure that enters the section in a loop.
  func contend(
    _ trial: Trial, patience: Duration = QueueVsLock.patience, _ enter: @escaping @Sendable (Loop<SectionEntry>) -> Void
  ) throws {
    let threads = threads(trial)
    let each = max(1, trial[entries] / threads)
    let timed = CriticalSection(steps: trial.steps(hold), parties: threads, patience: patience)
    let begin = ProcessCosts.soFar()
    let effort = try Team.run(threads) { member in
      timed.number.partyBegins()
      enter(Loop(each, on: timed.entry(member)))
    }
    record(trial, timed, effort.nanoseconds, threads * each, from: begin)

    let observed = CriticalSection(observing: fewer(trial), of: threads, steps: trial.steps(hold))
    try Team.run(threads) { member in
      observed.time(member) { enter(Loop(1, on: observed.entry(member))) }
    }
    record(trial, observed)

    let counted = CriticalSection(steps: trial.steps(hold))
    let calls = Slots<Int?>(count: threads, padded: true, of: nil)
    let share = max(1, fewer(trial) / threads)
    try Team.run(threads) { member in
      calls[member] = SystemCalls.during { enter(Loop(share, on: counted.entry(member))) }
    }
    let reported = calls.values.compactMap(\.self)
    if reported.count == threads {
      trial.record(countedCalls, Double(reported.reduce(0, +)) / Double(threads * share))
    }
  }

  /// Runs tasks that enter a guarded section. There are two runs: a timed run and an observed run.
  ///
  /// - Parameter enter: a closure that enters the section in a loop.
  func contendAsTasks(_ trial: Trial, _ enter: @escaping @Sendable (Loop<SectionEntry>) async -> Void) async throws {
    let tasks = threads(trial)
    let each = max(1, trial[entries] / tasks)
    let timed = CriticalSection(steps: trial.steps(hold), parties: tasks, patience: QueueVsLock.patience)
    let begin = ProcessCosts.soFar()
    let start = MonotonicClock.now()
    await withDiscardingTaskGroup { group in
      for member in 0..<tasks {
        group.addTask {
          timed.number.partyBegins()
          await enter(Loop(each, on: timed.entry(member)))
        }
      }
    }
    record(trial, timed, MonotonicClock.now() - start, tasks * each, from: begin)

    let observed = CriticalSection(observing: fewer(trial), of: tasks, steps: trial.steps(hold))
    await withDiscardingTaskGroup { group in
      for member in 0..<tasks {
        group.addTask {
          await observed.time(member) { await enter(Loop(1, on: observed.entry(member))) }
        }
      }
    }
    record(trial, observed)
  }

  /// Records whether the word of a locked `Mutex` is the identifier of the thread that holds the lock. Has an effect
  /// only on Linux.
  func recordOwnerInWord(_ trial: Trial) {
    #if os(Linux)
      let lock = Lock()
      let (word, thread) = lock.mutex.withLock { _ in (Self.word(lock.mutex), ThreadCensus.currentThread) }
      trial.record(ownerInWord, word == thread ? 1 : 0)
    #endif
  }

  /// Returns the first word of a mutex, which is the word of its futex on Linux.
  private static func word(_ mutex: borrowing Mutex<Void>) -> Int {
    withUnsafePointer(to: mutex) { Int(UnsafeRawPointer($0).load(as: UInt32.self)) }
  }

  private func threads(_ trial: Trial) -> Int { threads(trial.cores, trial[threadsPerCore]) }

  private func threads(_ cores: Int, _ perCore: Int) -> Int { max(2, cores * perCore) }

  /// Returns the number of entries in a run that is not timed: a fifth of the setting `entries`, and at least 1.
  private func fewer(_ trial: Trial) -> Int { max(1, trial[entries] / 5) }

  private func record(_ trial: Trial, _ section: CriticalSection, _ time: UInt64, _ all: Int, from begin: ProcessCosts?)
  {
    if let time = section.number.timeOfUpdates(in: time) { trial.record(perEntry, time, over: all) }
    if let begin, let costs = ProcessCosts.soFar()?.since(begin) {
      trial.record(processorPerEntry, costs.processorTime, over: all)
      trial.record(switchesPerEntry, Double(costs.switches.voluntary) / Double(all))
    }
    trial.record(lost, all - section.number.value)
  }

  private func record(_ trial: Trial, _ observed: CriticalSection) {
    trial.record(clockedEntry, observed.times)
    trial.record(longestRun, observed.longestRun)
    trial.record(lost, observed.entered - observed.number.value)
  }
}

/// A section that one lock guards, with a record of its entries.
final class CriticalSection: Sendable {
  /// The number that each entry increments.
  let number: SharedNumber
  private let most: Int
  private let isObserved: Bool
  private let lastMember = Atomic(-1)
  private let run = Atomic(0)
  private let longest = Atomic(0)
  private let all: Slots<[UInt64?]>

  /// Creates a section whose entries are not observed. The first party in the section waits for a second party, but no
  /// longer than `patience` after all `parties` have begun.
  init(steps: Int, parties: Int, patience: Duration) {
    number = SharedNumber(steps: steps, parties: parties, patience: patience)
    (most, isObserved) = (0, false)
    all = Slots(count: 0, of: [])
  }

  /// Creates a section whose entries are not observed, and in which no thread waits for a second thread.
  convenience init(steps: Int) { self.init(observing: nil, of: 0, steps: steps) }

  /// Creates a section for `members` threads or tasks, which enter the section until there are `most` observed entries.
  /// If `most` is nil, the number of entries is not limited, and the entries are not observed.
  init(observing most: Int?, of members: Int, steps: Int) {
    number = SharedNumber(steps: steps, parties: 1, patience: .zero)
    number.partyBegins()
    (self.most, isObserved) = (most ?? 0, most != nil)
    all = Slots(count: members, padded: true, of: [])
  }

  /// Returns the object with which the thread or task `member` enters the section.
  func entry(_ member: Int) -> SectionEntry { SectionEntry(section: self, member: member) }

  /// Calls `enter` repeatedly until all members together have made the maximum number of entries, and records the
  /// duration of each call.
  func time(_ member: Int, _ enter: () -> Void) {
    while number.value < most {
      let start = MonotonicClock.now()
      enter()
      all[member].append(MonotonicClock.now() - start)
    }
  }

  /// Calls the asynchronous closure `enter` repeatedly until all members together have made the maximum number of
  /// entries, and records the duration of each call.
  func time(_ member: Int, _ enter: () async -> Void) async {
    while number.value < most {
      let start = MonotonicClock.now()
      await enter()
      all[member].append(MonotonicClock.now() - start)
    }
  }

  @inline(__always)
  fileprivate func enter(_ member: Int) {
    if isObserved { note(member) }
    number.update()
  }

  @inline(never)
  private func note(_ member: Int) {
    let isSame = lastMember.load(ordering: .relaxed) == member
    lastMember.store(member, ordering: .relaxed)
    let now = isSame ? run.load(ordering: .relaxed) + 1 : 1
    run.store(now, ordering: .relaxed)
    longest.max(now, ordering: .relaxed)
  }

  /// The durations of the observed entries.
  var times: LatencyHistogram { LatencyHistogram(all.values.flatMap(\.self)) }
  /// The number of observed entries.
  var entered: Int { all.values.sum { $0.count } }
  /// The maximum number of consecutive entries by one member.
  var longestRun: Int { longest.load(ordering: .relaxed) }
}

/// An object with which one thread or task enters a section.
struct SectionEntry: Sendable {
  fileprivate let section: CriticalSection
  fileprivate let member: Int

  /// Increments the section's number, and runs the work of the section. The caller must hold the lock.
  @inline(__always) func enter() { section.enter(member) }
}
