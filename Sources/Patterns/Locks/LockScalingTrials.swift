import Dispatch
import Instruments
import Platform
import Synchronization

/// The code that runs the trials and records their metrics, and the finding about the number of threads.
extension LockScaling: FindingPattern {
  /// Returns an array with one note, which states the number of threads at each setting of a search. If an actor is
  /// compared with locks, the note adds that as many tasks enter the actor. The note also says how often one thread
  /// entered in a row. Returns an empty array if the experiment is not a search.
  func findings(in results: Results) -> [RunNote] {
    guard results.experiment.isSearch else { return [] }
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
    return [RunNote(Conclusion.advice, says + fairness(results), runs: results.runs.map(\.label))]
  }

  /// Returns a sentence with the variants whose threads entered the most and the fewest times in a row at the setting
  /// with the most threads; empty for fewer than two variants. The sentence is about the median trial at the hold with
  /// the most entries in a row, since in a single trial the first thread enters alone until the others have arrived.
  private func fairness(_ results: Results) -> String {
    func number(_ run: VariantRun) -> Int { threadsPerCore.value(in: run.parameters) ?? 0 }
    guard let most = results.runs.map(number).max() else { return "" }
    let runs = results.runs.filter { number($0) == most }
    let holds = Set(runs.map { hold.value(in: $0.parameters) }).count
    let counts = runs.grouped(by: \.variant.name).compactMap { name, runs in
      runs.compactMap { run in
        Summary(run.figures(longestRun.metric).map(\.value)).map { summary in
          let place = holds > 1 ? hold.value(in: run.parameters).map { ", \(hold.name) \(Quantity($0))" } : nil
          return (name: name, count: summary.p50.rounded(), place: place ?? "")
        }
      }.max { $0.count < $1.count }
    }
    guard counts.count > 1, let last = counts.max(by: { $0.count < $1.count }),
      let first = counts.min(by: { $0.count < $1.count }), last.count >= 2 * first.count
    else { return "" }
    return
      " At \(threadsPerCore.name) \(most), one thread entered \(Int(last.count).counted("time")) in a row with "
      + "\(last.name)\(last.place), and \(Int(first.count).counted("time")) with \(first.name)\(first.place) (longest-run "
      + "of the median trial)."
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
