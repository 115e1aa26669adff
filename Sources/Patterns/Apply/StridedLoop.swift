import CDispatchSupport
import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A loop over an array, cut into blocks of `stride` iterations; the last block takes what remains.
struct StridedLoop: @unchecked Sendable {  // Each element is written by the one block that covers it.
  enum Balance: String {
    case uniform, ramp, random
  }

  let iterations: Int
  let stride: Int
  let repeats: Int
  let cores: Int
  private let threads: Int
  private let steps: Int
  private let balance: Balance
  private let results: UnsafeMutablePointer<UInt64>

  init(_ trial: Trial) {
    iterations = trial.integer("iterations")
    stride = trial.integer("stride")
    repeats = trial.integer("repeats")
    cores = trial.cores
    threads = trial.integer("threads") > 0 ? trial.integer("threads") : trial.cores
    steps = trial.work.steps(nanoseconds: trial.integer("work"))
    balance = Balance(rawValue: trial.choice("balance")) ?? .uniform
    results = .allocate(capacity: iterations)
    clear()
  }

  func deallocate() { results.deallocate() }

  /// How many blocks the loop is cut into.
  var blocks: Int { (iterations + stride - 1) / stride }

  /// The iterations of one block.
  @inline(__always)
  func range(ofBlock block: Int) -> Range<Int> {
    let start = block &* stride
    return start..<min(start &+ stride, iterations)
  }

  /// Runs the whole loop one way; `shares` notes which thread ran how much, and costs time.
  func run(_ way: ApplyStride.Way, noting shares: ThreadShares?) throws {
    switch way {
    case .serialLoop: note(0..<iterations, shares)
    case .apply: DispatchQueue.concurrentPerform(iterations: blocks) { note(range(ofBlock: $0), shares) }
    case .applyQueue: applyOnQueue(shares)
    case .asyncGroup: asyncGroup(shares)
    case .threads: try threadEach(shares)
    case .taskGroup: taskGroup(shares)
    }
  }

  private func applyOnQueue(_ shares: ThreadShares?) {
    withUnsafePointer(to: (self, shares)) { context in
      gcdlab_apply_global(blocks, UnsafeMutableRawPointer(mutating: context)) { context, block in
        // Through the pointer: a copy of the loop would cost more than a short block.
        guard let context = context?.assumingMemoryBound(to: (StridedLoop, ThreadShares?).self) else { return }
        context.pointee.0.note(context.pointee.0.range(ofBlock: block), context.pointee.1)
      }
    }
  }

  private func asyncGroup(_ shares: ThreadShares?) {
    let group = DispatchGroup()
    let queue = DispatchQueue.global()
    for block in 0..<blocks { queue.async(group: group) { note(range(ofBlock: block), shares) } }
    group.wait()
  }

  private func threadEach(_ shares: ThreadShares?) throws {
    let team = try (0..<threads).map { thread in
      try SystemThread { note((iterations * thread / threads)..<(iterations * (thread + 1) / threads), shares) }
    }
    for thread in team { thread.join() }
  }

  private func taskGroup(_ shares: ThreadShares?) {
    runAsync {
      await withTaskGroup { group in
        for block in 0..<blocks { group.addTask { note(range(ofBlock: block), shares) } }
      }
    }
  }

  @inline(__always)
  private func note(_ range: Range<Int>, _ shares: ThreadShares?) {
    body(range)
    shares?.add(range.count)
  }

  /// The iterations themselves, one chain of work through the whole block.
  @inline(__always)
  func body(_ range: Range<Int>) {
    var value = UInt64(truncatingIfNeeded: range.lowerBound)
    // One loop for each balance: what an iteration does must not depend on a branch that another balance needs.
    switch balance {
    case .uniform: for i in range { value = visit(i, steps: steps, from: value) }
    case .ramp: for i in range { value = visit(i, steps: 2 &* steps &* i / iterations, from: value) }
    case .random:
      for i in range {
        value = visit(i, steps: Int(truncatingIfNeeded: Self.scatter(i) % UInt64(2 &* steps &+ 1)), from: value)
      }
    }
  }

  /// Works from where the iteration before ended: a core runs independent iterations several at a time, and 15 ns of
  /// work would then take 5.
  @inline(__always)
  private func visit(_ i: Int, steps: Int, from value: UInt64) -> UInt64 {
    let end = CalibratedWork.spin(steps: steps, from: value)
    // The low byte counts the visits; the rest makes the work count.
    results[i] &+= end << 8 | 1
    return end
  }

  @inline(__always)
  private static func scatter(_ i: Int) -> UInt64 {
    var z = UInt64(truncatingIfNeeded: i) &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return z ^ (z >> 31)
  }

  /// Empties the array for the next loop.
  func clear() { results.update(repeating: 0, count: iterations) }

  /// How many elements were left out, and how many were visited more than once (up to 255 times).
  func irregularVisits() -> (missed: Int, repeated: Int) {
    var missed = 0
    var repeated = 0
    for i in 0..<iterations {
      let visits = results[i] & 0xff
      if visits == 0 { missed += 1 } else if visits > 1 { repeated += 1 }
    }
    return (missed, repeated)
  }
}

/// Which thread ran how many iterations.
final class ThreadShares: Sendable {
  private let counts = Mutex<[UInt: Int]>([:])

  func add(_ iterations: Int) {
    let thread = UInt(bitPattern: pthread_self().hashValue)
    counts.withLock { $0[thread, default: 0] += iterations }
  }

  /// The shares in percent, the largest first.
  func percentages(of iterations: Int) -> [Double] {
    counts.withLock { counts in
      counts.values.sorted(by: >).map { 100 * Double($0) / Double(max(iterations, 1)) }
    }
  }
}
