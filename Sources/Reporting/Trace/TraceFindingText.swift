import Laboratory
import Measurement

extension Trace {
  /// The maximum number of findings below a picture.
  private static let mostFindings = 3

  /// The findings of the trace as sentences, the most important first. For a trial, at most ``mostFindings`` findings
  /// are included.
  var findingTexts: [String] {
    guard program == nil else { return programFindingTexts }
    return findings.prefix(Self.mostFindings).map(text)
  }

  /// The findings in the trace of a program as sentences. Findings that the record proves are first. Each sentence
  /// contains the calls that lead to the problem and a scenario that shows the problem, if these are known.
  ///
  /// Without findings, the result is a sentence that states that nothing was found, or is empty if the record of calls
  /// is incomplete.
  private var programFindingTexts: [String] {
    let findings = findings
    // A deadlock is the cause of other findings, such as waits that timed out.
    let others = findings.filter { !$0.isCycle }
    let sorted = findings.filter(\.isCycle) + others.filter(\.isCertain) + others.filter { !$0.isCertain }
    guard !sorted.isEmpty else {
      if !knowsCalls || gaps.contains(where: { $0.record == .calls }) { return [] }
      return [
        blocks.isEmpty ? "The program submitted nothing to Dispatch.\(silence)" : "Nothing found.\(delays)\(silence)"
      ]
    }
    return sorted.map { finding in
      let calls = calls(of: finding).prefix(Self.mostCalls).map(\.inLine).joined(separator: " < ")
      let place =
        switch finding {
        case .hang, .trap: "It is submitted at "
        case .smallBlocks: "They are submitted at "
        default: "It is at "
        }
      return (finding.isCertain ? "Certain: " : "Likely: ") + text(finding)
        + (calls.isEmpty ? "" : " \(place)\(calls).")
        + (finding.scenario.map { " See: \(Tool.command) explain \($0)" } ?? "")
    }
  }

  /// A sentence with the longest delay of a block and the use of the cores; an empty string if no block waited long to
  /// begin. These figures show whether blocks waited for a core, or for threads whose waits are too short for a
  /// finding.
  private var delays: String {
    let figures = TraceFigures(self)
    guard let worst = figures.worstDelay, worst >= 1_000_000 else { return "" }
    let busy = figures.busy.map { "; the program used \(TraceFigures.percent($0)) of the cores' time" } ?? ""
    return " A block waited up to \(TraceFigures.text(worst)) to begin\(busy)."
  }

  /// A sentence about the time at the end of the record in which no thread ran, although the program had not ended; an
  /// empty string if this time is short, or if the record has gaps.
  private var silence: String {
    guard end != .completed, gaps.isEmpty, let last = lanes.flatMap(\.runs).map(\.end).max(), last < length,
      length - last >= max(500_000_000, length / 2)
    else { return "" }
    let task = blocks.contains { $0.kind == .job } ? ", or a task waits for a continuation that nothing resumes" : ""
    return
      " No thread ran for the last \(TraceFigures.text(length - last)), and the program had not ended: it waits for "
      + "an event\(task)."
  }

  /// The maximum number of calls of a stack in a sentence.
  private static let mostCalls = 3

  private func text(_ finding: TraceFinding) -> String {
    switch finding {
    case .trap(let signal, let block):
      let place = block.map { index in
        " inside \(name(of: blocks[index]))" + (blocks[index].lane.map { " on \(lanes[$0].name)" } ?? "")
      }
      return "\(SignalName.name("\(signal)", on: "Linux")) ended the process\(place ?? "") "
        + "after \(TraceFigures.text(length))."
    case .failure(let reason): return "The trial failed: \(reason)."
    case .deadlock(let owners): return text(owners)
    case .standstill(let lanes): return standstill(lanes)
    case .starvation(let workers, let backlog, let time):
      let threads =
        workers == 1
        ? "The pool's only thread with a block" : "All threads of the pool with a block (up to \(workers) at a time)"
      return "\(threads) \(workers == 1 ? "was" : "were") blocked in it for \(TraceFigures.text(time)), while up to "
        + "\(backlog.counted("block")) that could have begun waited for a thread."
        + (program == nil ? "" : poolWait.map { " Most of the waits are \(text(of: $0))." } ?? "")
    case .blockedJobs(let count, let longest):
      return
        "\(count.counted("wait")) inside \(count == 1 ? "a Swift job" : "Swift jobs") kept a thread of the "
        + "pool, the longest for \(TraceFigures.text(longest.time)): \(lanes[longest.lane].name) \(text(of: longest.wait))."
    case .manyThreads(let threads, let most):
      return
        "\(threads) threads of the pool ran blocks on \(cores.count.counted("core")): up to \(most) blocks were in "
        + "progress at the same time."
    case .loopShares(let shares): return loop(shares)
    case .smallBlocks(let queue, let count, let run, let apart):
      // The queue may also have run blocks that were not submitted with `async`.
      let all = blocks.count { $0.queue == queue }
      let which = all == count ? "The \(count.withCommas)" : "\(count.withCommas) of the \(all.withCommas)"
      let cost = program == nil ? "submitting the next one takes" : "to submit and begin one takes"
      return "\(which) blocks of \(queues[queue].label.inLine) are small: they run for \(TraceFigures.text(run)), and "
        + "\(cost) \(TraceFigures.text(apart)) (medians, the recorder's own time included)."
    case .wait(let wait):
      return "\(lanes[wait.lane].name) waits \(TraceFigures.text(wait.time)) of "
        + "\(TraceFigures.text(length - opening))\(opening > 0 ? " since the first submission" : "") \(text(of: wait.wait))."
    case .overlap(let most): return "Up to \(most) blocks were in progress at the same time."
    case .hang(let block, let time, let waiting, let others):
      let limit = program.map { " for \(TraceFigures.text($0.hang)) or longer" } ?? ""
      return "A block on the main queue (\(name(of: blocks[block]))) took \(TraceFigures.text(time)), and "
        + "\(waiting.counted("other block")) of the main queue waited for it."
        + (others > 0 ? " \(others.counted("further block")) also kept blocks of the main queue waiting\(limit)." : "")
    case .syncWaits(let waits, let time, let queue, let share):
      let place = queue.map { " on \"\(queues[$0].label.inLine)\"" } ?? ""
      let most = share == time ? "" : ", \(TraceFigures.text(share)) of them\(place)"
      return
        "The waits of all threads in sync\(share == time ? place : "") add up to \(TraceFigures.text(time))\(most), "
        + "within \(TraceFigures.text(length - opening)) since the first submission (\(waits.counted("wait")))."
    case .timeouts(let count, let longest):
      return
        "\(count.counted("wait")) timed out, the longest after \(TraceFigures.text(longest.time)): "
        + "\(lanes[longest.lane].name) \(text(of: longest.wait))."
    case .lockCycle(let lanes):
      let names = lanes.map { lane in
        let calls = calls(self.lanes[lane].waits.last?.stack).prefix(Self.mostCalls).map(\.inLine)
        return self.lanes[lane].name
          + (calls.isEmpty || lanes.count == 1 ? "" : " (at \(calls.joined(separator: " < ")))")
      }
      return names.count == 1
        ? "\(names[0]) waits for a lock that it holds itself."
        : "Deadlock of locks: \(names.joined(separator: ", then ")). Each thread waits for a lock that the next thread "
          + "held when the wait began, and the last thread for a lock that the first thread held."
    }
  }

  private func text(_ owners: [TraceFinding.Owner]) -> String {
    func label(_ queue: Int) -> String { "\"\(queues[queue].label.inLine)\"" }
    guard owners.count > 1 else {
      return owners.map { owner in
        "\(lanes[owner.lane].name) calls sync on \(label(owner.waitsFor)) inside \(name(of: blocks[owner.block])): "
          + "the call waits for the block, and the block for the call."
      }.joined()
    }
    let chain = owners.map { owner in
      let calls = calls(of: owner).prefix(Self.mostCalls).map(\.inLine).joined(separator: " < ")
      return "\(lanes[owner.lane].name), inside \(name(of: blocks[owner.block])), waits in sync for "
        + label(owner.waitsFor) + (calls.isEmpty ? "" : " at \(calls)")
    }
    return "Deadlock: \(chain.joined(separator: "; "))."
  }

  private func standstill(_ stuck: [Int]) -> String {
    guard !stuck.isEmpty else { return "No thread runs any more, and no thread will run again." }
    let waits = workWaits
    let waiting = stuck.prefix(3).map { index in
      let block = waits.last { $0.lane == index && $0.wait.end == nil }?.block.map { "\(name(of: blocks[$0])), " }
      return lanes[index].waits.last { $0.end == nil }.map { wait in
        "\(lanes[index].name)\(block.map { ", in \($0)" } ?? " ")waits \(text(of: wait))"
      } ?? lanes[index].name
    }
    let others = stuck.count > 3 ? "; and \((stuck.count - 3).counted("more thread"))" : ""
    return "At the end no thread can continue: \(waiting.joined(separator: "; "))\(others)." + neverBegun
  }

  /// A sentence that names up to three blocks that had not begun at the end of the record, each with the block that its
  /// serial queue was still running, if there was such a block. The sentence is empty if all submitted blocks had
  /// begun.
  private var neverBegun: String {
    let late = blocks.filter { $0.begin == nil && $0.submitted != nil }
    guard !late.isEmpty else { return "" }
    let names = late.map { block in
      let ahead =
        queues[block.queue].isSerial
        ? blocks.first { $0.queue == block.queue && $0.begin != nil && $0.end == nil } : nil
      return name(of: block) + (ahead.map { ", behind block \($0.number), which has not ended" } ?? "")
    }
    return " Never begun: \(names.abridged(to: 3, separator: "; "))."
  }

  private func loop(_ shares: [TraceFinding.LoopShare]) -> String {
    guard let first = shares.first, let last = shares.last else { return "" }
    let total = shares.reduce(0) { $0 + $1.iterations }
    let name = lanes[first.lane].name
    if shares.count == 1 { return "\(name) ran all \(total) iterations of the longest loop." }
    if Double(first.iterations) > 0.7 * Double(total) {
      let others = (shares.count - 1).counted("other thread")
      return "\(name) ran \(first.iterations) of the \(total) iterations of the longest loop, \(others) the rest."
    }
    let each = first.iterations == last.iterations ? "\(last.iterations)" : "\(last.iterations) to \(first.iterations)"
    return "The \(total) iterations of the longest loop ran on \(shares.count) threads, \(each) each."
  }
}
