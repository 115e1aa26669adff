import Measurement

/// A chooser that repeats a schedule. After the end of the schedule, the chooser continues with the previous strand if
/// this strand can run, and otherwise with the first strand that can run.
final class Replay: Chooser {
  private let schedule: [Int]
  private var step = 0
  /// The index of the first step that could not be made, the scheduled strand, and the strands that could run; nil if
  /// all steps could be made.
  private(set) var impossible: (step: Int, strand: Int, possible: [Int])?

  init(_ schedule: [Int]) { self.schedule = schedule }

  func choose(_ choices: [Choice], after previous: Int?) -> Int? {
    defer { step += 1 }
    guard step < schedule.count else { return choices.first { $0.strand == previous }?.strand ?? choices[0].strand }
    let strand = schedule[step]
    guard choices.contains(where: { $0.strand == strand }) else {
      impossible = (step, strand, choices.map(\.strand))
      return nil
    }
    return strand
  }
}

/// A chooser that chooses each of the possible strands with equal probability.
final class RandomWalk: Chooser {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  func choose(_ choices: [Choice], after previous: Int?) -> Int? {
    choices[Int.random(in: 0..<choices.count, using: &random)].strand
  }
}

/// A chooser for probabilistic concurrency testing (Burckhardt et al., 2010). Each strand has a random priority, and
/// the strand with the highest priority makes the next step. At a few random steps, the strand that would make the step
/// gets a priority below all initial priorities.
///
/// The depth of a defect is the smallest number of pairs of steps whose order suffices to cause the defect. For `n`
/// strands, an execution whose `c` changes are drawn from `k` steps finds a defect of depth `c + 1` with a probability
/// of at least 1/(n·kᶜ), if no execution has more than `k` steps.
final class RandomPriorities: Chooser {
  private var random: SplitMix64
  private var priorities: [Int: UInt64] = [:]
  /// The range of the initial priorities.
  private let initial: ClosedRange<UInt64>
  /// The new priorities of the changes, keyed by step. A priority is the index of the change in the order in which the
  /// steps were drawn, and not in the order of the steps. A later change may therefore assign a higher priority than an
  /// earlier change, and preempted strands continue in any order.
  private var changes: [Int: UInt64] = [:]
  private var step = 0

  /// Creates a chooser with at most `changes` changes of priority. An execution has fewer changes if several changes
  /// are drawn for the same step, or if the execution ends before the step of a change.
  ///
  /// - Parameter steps: the number of steps from which changes are drawn: approximately the number of steps of an
  ///   execution.
  init(seed: UInt64, changes: Int, steps: Int) {
    random = SplitMix64(seed: seed)
    initial = UInt64(changes) ... .max
    for index in 0..<changes {
      self.changes[Int.random(in: 0..<max(1, steps), using: &random)] = UInt64(index)
    }
  }

  func choose(_ choices: [Choice], after previous: Int?) -> Int? {
    defer { step += 1 }
    for choice in choices where priorities[choice.strand] == nil {
      priorities[choice.strand] = UInt64.random(in: initial, using: &random)
    }
    if let priority = changes[step], let highest = highest(choices) { priorities[highest] = priority }
    return highest(choices)
  }

  private func highest(_ choices: [Choice]) -> Int? {
    choices.max { (priorities[$0.strand] ?? 0) < (priorities[$1.strand] ?? 0) }?.strand
  }
}

/// A chooser that enumerates all schedules depth first. Each execution repeats the choices of the previous execution up
/// to the last decision that has an untried choice.
///
/// With reduction, the chooser enumerates only one schedule of each set of schedules that differ only in the order of
/// commuting steps. The reduction uses sleep sets (Godefroid): a strand whose step was tried at a decision sleeps in
/// the other branches, until another strand makes a step that does not commute with the tried step.
final class DepthFirst: Chooser {
  private struct Decision {
    var choices: [Choice]
    var chosen: Int
    var sleep: [Int: Footprint]
    /// The number of preemptions before this decision.
    var preemptions: Int
  }

  private let reduces: Bool
  private let most: Int?
  private var decisions: [Decision] = []
  private var depth = 0
  /// Whether a choice was skipped because of the bound on preemptions.
  private(set) var hasLeftOut = false

  /// Creates a chooser.
  ///
  /// - Parameters:
  ///   - reduces: whether to enumerate only one schedule of each set of schedules that differ only in the order of
  ///     commuting steps.
  ///   - most: the maximum number of preemptions in a schedule; nil for any number. With a maximum, `reduces` has no
  ///     effect: the schedule that represents other schedules may exceed the maximum, although one of the other
  ///     schedules does not.
  init(reduces: Bool, preemptions most: Int?) {
    self.reduces = reduces && most == nil
    self.most = most
  }

  func choose(_ choices: [Choice], after previous: Int?) -> Int? {
    defer { depth += 1 }
    if depth < decisions.count { return decisions[depth].chosen }
    var (sleep, preemptions): ([Int: Footprint], Int) = ([:], 0)
    if depth > 0 {
      let last = decisions[depth - 1]
      preemptions = last.preemptions + cost(of: last.chosen, in: last.choices, at: depth - 1)
      if reduces, let made = last.choices.first(where: { $0.strand == last.chosen }) {
        sleep = last.sleep.filter { $0.value.commutes(with: made.footprint) }
      }
    }
    var decision = Decision(choices: choices, chosen: -1, sleep: sleep, preemptions: preemptions)
    // The strand that made the previous step is chosen first if possible, so that the first schedules have the fewest
    // switches.
    guard let first = candidate(in: decision, preferring: previous) else { return nil }
    decision.chosen = first
    decisions.append(decision)
    return first
  }

  /// Prepares the next execution. Returns true if there is a next execution, and false if all schedules have been
  /// executed.
  func advance() -> Bool {
    depth = 0
    while var decision = decisions.popLast() {
      let made = decision.choices.first { $0.strand == decision.chosen }
      decision.sleep[decision.chosen] = made?.footprint ?? .everything
      if let next = candidate(in: decision, preferring: nil) {
        decision.chosen = next
        decisions.append(decision)
        return true
      }
    }
    return false
  }

  private func candidate(in decision: Decision, preferring preferred: Int?) -> Int? {
    let at = decisions.count
    func isLeft(_ choice: Choice) -> Bool {
      guard decision.sleep[choice.strand] == nil else { return false }
      guard let most, decision.preemptions + cost(of: choice.strand, in: decision.choices, at: at) > most else {
        return true
      }
      hasLeftOut = true
      return false
    }
    if let preferred, let same = decision.choices.first(where: { $0.strand == preferred }), isLeft(same) {
      return preferred
    }
    return decision.choices.first(where: isLeft)?.strand
  }

  /// Returns 1 if the choice preempts a strand that could continue, otherwise 0.
  private func cost(of chosen: Int, in choices: [Choice], at depth: Int) -> Int {
    guard depth > 0, depth <= decisions.count else { return 0 }
    let previous = decisions[depth - 1].chosen
    return chosen != previous && choices.contains { $0.strand == previous } ? 1 : 0
  }
}
