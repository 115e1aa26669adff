import Instruments

/// The code that runs the trials of each kind of variant and records the metrics of the trials.
extension SingletonRace {
  /// Returns an upper bound for the duration of a trial: the time of all pauses at full length, of the races without a
  /// pause (including ``patience``), of one row, and of the accesses that are timed.
  func longest(_ trial: Trial) -> Duration? {
    trial[pause] * trial[pausedRaces] + trial[raceTime] + trial[patience]
      + .microseconds(100) * trial[slots] * trial[threads] + .microseconds(30) * trial[batch]
  }

  /// The metrics that every trial records.
  private var results: [any Declaration] { [instances, duplicates, mismatches, brokenRaces, races] }
  /// The metrics of trials that include races without a pause.
  private var resultsWithoutPause: [any Declaration] { results + [raceRate, duplicateRate, hotPath] }
  /// The parameters of trials that include races with a pause and races without a pause.
  private var settings: [any Declaration] { [threads, raceTime, slots, pause, pausedRaces, batch] }

  /// The probe for variants in which threads call an unguarded accessor.
  var runUnguarded: TrialProbe {
    Probe(reads: [threads, raceTime, slots, patience, batch], records: resultsWithoutPause)
  }
  /// The probe for variants in which threads call a guarded accessor.
  var runGuarded: TrialProbe { Probe(reads: settings, records: resultsWithoutPause) }
  /// The probe for variants in which tasks call a guarded accessor.
  var runGuardedTasks: TaskProbe { Probe(reads: settings, records: resultsWithoutPause) }
  /// The probe for variants whose singleton can be created only once in a process.
  var runOnce: TrialProbe { Probe(reads: [threads, pause, batch], records: results + [hotPath]) }

  /// Runs threads that request singletons at the same time, and then times the hot path. If no singleton was created
  /// twice within ``raceTime``, the race continues for up to ``patience`` longer.
  ///
  /// - Parameters:
  ///   - starved: the minimum processor time of a racer, averaged over all racers, as a fraction of the elapsed time.
  ///     If the racers got less and created no singleton twice, the trial is unavailable, since the racers hardly ever
  ///     ran at the same time.
  ///   - ask: a closure that requests each singleton of a row.
  /// - Throws: ``Unavailable`` if no singleton was created twice, and the racers could not have a core each or did not
  ///   receive enough processor time.
  func raceUnguarded(
    _ trial: Trial, starved: Double = Unavailable.starvedShare, _ ask: @escaping @Sendable (Row) -> Void
  ) throws {
    let (racers, time, patience) = (trial[threads], trial[raceTime].nanoseconds, trial[patience].nanoseconds)
    let track = RaceTrack(racers: racers, slots: trial[slots])
    let before = Host.ownProcessorTime
    let (counts, elapsed, bindingError) = try track.race(for: UInt64(time), patience: UInt64(patience), ask)
    if counts.duplicates == 0, let bindingError {
      throw Unavailable("no two racers met, and not every racer had its own core: \(bindingError)")
    }
    // The racers spin during the whole race. With less processor time than `starved` demands, the racers hardly ever
    // ran at the same time.
    let got = Double(Host.ownProcessorTime - before)
    if counts.duplicates == 0, got < starved * Double(elapsed) * Double(racers) {
      let (got, each) = (Quantity(got, .nanoseconds), Quantity(Double(elapsed), .nanoseconds))
      throw Unavailable("no two racers met: in \(each) the \(racers) racers together got \(got) of processor time")
    }
    record(trial, counts)
    record(trial, counts, nanoseconds: elapsed)
    recordHotPath(trial, track, ask)
  }

  /// Returns a probe with threads that request a singleton whose accessor pauses. The pause makes every race reveal a
  /// missing guard, and ends as soon as the error has appeared.
  ///
  /// - Parameters:
  ///   - step: the step of the accessor that follows the pause.
  ///   - limit: the maximum duration of a pause. A pause lasts this long only if the accessor has a guard after all.
  func racePaused(
    before step: RacePause.Step, atMost limit: Duration = .seconds(10)
  ) -> Probe<@Sendable (Row) -> Void> {
    let own: any Declaration = step == .creation ? pausedDuplicateShare : halfBuiltUses
    return Probe(reads: [threads, pausedRaces], records: results + [own]) { trial, ask in
      let racers = trial[threads]
      let (counts, halfBuilt) = try race(
        RaceTrack(racers: racers), before: step, times: trial[pausedRaces], atMost: limit, ask)
      record(trial, counts)
      switch step {
      case .creation:
        let twice = counts.ended.dropFirst(2).reduce(0, +)
        trial.record(pausedDuplicateShare, 100 * Double(twice) / Double(counts.races))
      case .setUp: trial.record(halfBuiltUses, halfBuilt)
      }
    }
  }

  /// Runs threads that request singletons at the same time, first with a pause in the accessor and then without a
  /// pause, and then times the hot path.
  ///
  /// - Parameter ask: a closure that requests each singleton of a row.
  func raceGuarded(_ trial: Trial, _ ask: @escaping @Sendable (Row) -> Void) throws {
    let (racers, time) = (trial[threads], trial[raceTime].nanoseconds)
    let track = RaceTrack(racers: racers, slots: trial[slots])
    var counts = try race(track, before: .creation, times: trial[pausedRaces], atMost: trial[pause], ask).counts
    let unpaused = try track.race(for: UInt64(time), ask)
    counts.merge(unpaused.counts)
    record(trial, counts)
    record(trial, unpaused.counts, nanoseconds: unpaused.nanoseconds)
    recordHotPath(trial, track, ask)
  }

  /// Runs threads that request a singleton once, with a pause in its accessor, and then times the hot path. The
  /// singleton can be created only once in a process.
  ///
  /// - Parameter ask: a closure that requests each singleton of a row.
  func raceOnce(_ trial: Trial, _ ask: @escaping @Sendable (Row) -> Void) throws {
    let racers = trial[threads]
    let track = RaceTrack(racers: racers)
    record(trial, try race(track, before: .creation, times: 1, atMost: trial[pause], ask).counts)
    recordHotPath(trial, track, ask)
  }

  /// Runs `times` races with a pause. Returns the results, and the number of uses of an instance before the instance
  /// was set up.
  private func race(
    _ track: RaceTrack, before step: RacePause.Step, times: Int, atMost time: Duration,
    _ ask: @escaping @Sendable (Row) -> Void
  ) throws -> (counts: RaceCounts, halfBuiltUses: Int) {
    var (counts, halfBuilt) = (RaceCounts(racers: track.racers), 0)
    for _ in 0..<times {
      let pause = RacePause(before: step, of: track.racers, atMost: time)
      try track.race(pause, into: &counts, ask)
      halfBuilt += pause.halfBuiltUses.count
    }
    return (counts, halfBuilt)
  }

  /// Runs tasks that request singletons through an asynchronous guard at the same time, first with a pause in the
  /// accessor and then without a pause, and then times the hot path.
  ///
  /// - Parameter ask: a closure that requests each singleton of a row.
  func raceGuarded(_ trial: Trial, _ ask: @escaping @Sendable (Row) async -> Void) async throws {
    let (racers, time, pause) = (trial[threads], trial[raceTime].nanoseconds, trial[pause])
    let track = RaceTrack(racers: racers, slots: trial[slots])
    var counts = RaceCounts(racers: racers)
    for _ in 0..<trial[pausedRaces] {
      await track.race(RacePause(before: .creation, of: racers, atMost: pause), into: &counts, ask)
    }
    let unpaused = await track.race(for: UInt64(time), ask)
    counts.merge(unpaused.counts)
    record(trial, counts)
    record(trial, unpaused.counts, nanoseconds: unpaused.nanoseconds)
    let batch = trial[batch]
    let row = track.standing(accesses: batch)
    // The singleton is created in the warm-up batch, and exists from then on.
    await trial.time(hotPath, over: batch, nothing: { await row.each { _ async in nil } }) { await ask(row) }
    track.empty()
  }

  // MARK: Recording

  private func record(_ trial: Trial, _ counts: RaceCounts) {
    var histogram = LatencyHistogram()
    for (instances, races) in counts.ended.enumerated() { histogram.record(UInt64(instances), count: UInt64(races)) }
    trial.record(instances, histogram)
    trial.record(duplicates, counts.duplicates)
    trial.record(mismatches, counts.mismatches)
    trial.record(brokenRaces, counts.irregular)
    trial.record(races, counts.races)
  }

  private func record(_ trial: Trial, _ counts: RaceCounts, nanoseconds: UInt64) {
    trial.record(raceRate, Double(counts.races) * 1e9 / Double(nanoseconds))
    trial.record(duplicateRate, Double(counts.duplicates) * 1e9 / Double(nanoseconds))
  }

  private func recordHotPath(_ trial: Trial, _ track: RaceTrack, _ ask: (Row) -> Void) {
    let batch = trial[batch]
    let row = track.standing(accesses: batch)
    // The singleton is created in the warm-up batch, and exists from then on.
    trial.time(hotPath, over: batch, nothing: { row.each { _ in nil } }) { ask(row) }
    track.empty()
  }
}

extension PhotoManager {
  /// Creates an instance of the singleton that the calling thread requests. Returns the instance, or nil if the thread
  /// requests no singleton.
  static func create() -> PhotoManager? { SharedManager.asked?.create() }
}
