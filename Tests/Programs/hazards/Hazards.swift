// Hazards of the catalogue and their fixes, in a program without the lab's code: `hazards NAME [cured]`.
import Dispatch
import Glibc
import Synchronization

/// The numbers of the threads that a hazard has blocked.
final class Stuck: Sendable {
  private let threads = Mutex<[Int]>([])

  /// Adds the calling thread, which only waits from now on.
  func add() {
    var path = [CChar](repeating: 0, count: 64)
    guard readlink("/proc/thread-self", &path, 63) > 0 else { return }
    let text = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let thread = text.split(separator: "/").last.flatMap({ Int($0) }) else { return }
    threads.withLock { $0.append(thread) }
  }

  /// Waits until at least `count` threads have been added, and all of them sleep.
  func wait(for count: Int) {
    while true {
      let found = threads.withLock { $0 }
      if found.count >= count, found.allSatisfy(Self.sleeps) { return }
      usleep(1000)
    }
  }

  private static func sleeps(_ thread: Int) -> Bool {
    guard let file = fopen("/proc/self/task/\(thread)/stat", "r") else { return false }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 256)
    guard fgets(&text, 256, file) != nil else { return false }
    let line = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return line.split(separator: ")").last?.split(separator: " ").first == "S"
  }
}

func say(_ line: String) { _ = write(STDERR_FILENO, line, line.utf8.count) }

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

func work(for nanoseconds: UInt64) {
  let end = now() + nanoseconds
  while now() < end {}
}

/// Submits blocks to two queues. Each block waits for the other queue.
func transferMoney(_ stuck: Stuck) {
  let accounts = DispatchQueue(label: "hazards.accounts")
  let journal = DispatchQueue(label: "hazards.journal")
  let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  accounts.async {
    first.signal()
    second.wait()
    stuck.add()
    journal.sync {}
  }
  journal.async {
    second.signal()
    first.wait()
    stuck.add()
    accounts.sync {}
  }
}

func transferMoneyInOrder() {
  let accounts = DispatchQueue(label: "hazards.accounts")
  let journal = DispatchQueue(label: "hazards.journal")
  let group = DispatchGroup()
  for _ in 0..<20 {
    accounts.async(group: group) { journal.sync { work(for: 10_000) } }
    journal.async(group: group) { work(for: 10_000) }
  }
  group.wait()
}

/// Blocks the thread until the reply arrives.
func waitForReply(_ reply: DispatchSemaphore) { reply.wait() }

func askAll(_ stuck: Stuck) {
  let began = now()
  let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  let requests = DispatchQueue(label: "hazards.requests", attributes: .concurrent)
  let reply = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  for _ in 0..<300 {
    requests.async(group: group) {
      stuck.add()
      waitForReply(reply)
    }
  }
  stuck.wait(for: cores)
  // The threads stay blocked for most of the program's time.
  while now() - began < 200_000_000 { usleep(1000) }
  usleep(useconds_t(min(2_000_000, (now() - began) / 1000)))
  for _ in 0..<300 { reply.signal() }
  group.wait()
}

func askAllAndBeCalled() {
  let requests = DispatchQueue(label: "hazards.requests", attributes: .concurrent)
  let group = DispatchGroup()
  for _ in 0..<300 { requests.async(group: group) { work(for: 10_000) } }
  let done = DispatchSemaphore(value: 0)
  group.notify(queue: .global()) { done.signal() }
  done.wait()
}

func addUp(_ parts: Int, of each: Int) {
  let group = DispatchGroup()
  let sums = DispatchQueue(label: "hazards.sums", attributes: .concurrent)
  let total = Atomic(0)
  for _ in 0..<parts {
    sums.async(group: group) {
      var sum = 0
      for number in 0..<each { sum &+= number }
      total.add(sum, ordering: .relaxed)
    }
  }
  group.wait()
}

func loadImage(_ answer: DispatchSemaphore) { answer.wait() }

/// Runs a job of Swift concurrency that blocks its thread.
func blockJob(_ stuck: Stuck) async {
  let answer = DispatchSemaphore(value: 0)
  let job = Task.detached {
    stuck.add()
    loadImage(answer)
  }
  DispatchQueue(label: "hazards.answers").async {
    stuck.wait(for: 1)
    usleep(20_000)
    answer.signal()
  }
  await job.value
}

func awaitAnswer() async {
  let job = Task.detached {
    await withCheckedContinuation { answer in
      DispatchQueue(label: "hazards.answers").async { answer.resume() }
    }
  }
  await job.value
}

/// Waits for a reply for 20 ms at most.
func awaitReply(_ reply: DispatchSemaphore) { _ = reply.wait(timeout: .now() + .milliseconds(20)) }

/// Waits for replies that do not arrive, and for a group whose block runs for longer than the wait.
func askNobody() {
  let (reply, group, isOver) = (DispatchSemaphore(value: 0), DispatchGroup(), DispatchSemaphore(value: 0))
  for _ in 0..<3 { awaitReply(reply) }
  DispatchQueue(label: "hazards.late").async(group: group) { isOver.wait() }
  _ = group.wait(timeout: .now() + .milliseconds(1))
  isOver.signal()
  group.wait()
}

func askAnybody() {
  let reply = DispatchSemaphore(value: 0)
  DispatchQueue(label: "hazards.replies").async { reply.signal() }
  reply.wait()
}

func drawEverything() { work(for: 400_000_000) }

/// Draws in the handler of a timer on the main queue, while a second timer of the main queue is due.
func drawByTimer(isSlow: Bool) async {
  await withCheckedContinuation { drawn in
    let timers = (0..<2).map { _ in DispatchSource.makeTimerSource(queue: .main) }
    timers[0].setEventHandler { if isSlow { drawEverything() } }
    timers[1].setEventHandler {
      for timer in timers { timer.cancel() }
      drawn.resume()
    }
    for (timer, delay) in zip(timers, [1, 50]) {
      timer.schedule(deadline: .now() + .milliseconds(delay))
      timer.activate()
    }
  }
}

@main struct Hazards {
  static func main() async {
    let (name, isCured) = (CommandLine.arguments.dropFirst().first ?? "", CommandLine.arguments.count > 2)
    let stuck = Stuck()
    switch (name, isCured) {
    case ("own-queue", false):
      let own = DispatchQueue(label: "hazards.own")
      own.sync { own.sync {} }
    case ("own-queue", true):
      let own = DispatchQueue(label: "hazards.own")
      own.sync { own.async {} }
    case ("abba", false):
      transferMoney(stuck)
      stuck.wait(for: 2)
      // The program stays stuck until it is interrupted.
      say("stuck\n")
      while true { pause() }
    case ("abba", true): transferMoneyInOrder()
    case ("pool", false): askAll(stuck)
    case ("pool", true): askAllAndBeCalled()
    case ("small", false): addUp(50_000, of: 2)
    case ("small", true): addUp(20, of: 5000)
    case ("job", false): await blockJob(stuck)
    case ("job", true): await awaitAnswer()
    case ("timeout", false): askNobody()
    case ("timeout", true): askAnybody()
    case ("sleep", true): try? await Task.sleep(for: .milliseconds(500))
    case ("main", false):
      await withCheckedContinuation { drawn in
        let submitted = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
          submitted.wait()
          drawEverything()
        }
        DispatchQueue.main.async { drawn.resume() }
        submitted.signal()
      }
    case ("main", true):
      await withCheckedContinuation { drawn in
        DispatchQueue.global().async {
          drawEverything()
          DispatchQueue.main.async { drawn.resume() }
        }
      }
    case ("timers", _): await drawByTimer(isSlow: !isCured)
    default:
      say("hazards: own-queue, abba, pool, small, job, main, timers, timeout, or sleep cured\n")
      exit(64)
    }
    print("done")
  }
}
