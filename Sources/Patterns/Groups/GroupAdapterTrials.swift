import Dispatch
import Instruments
import Synchronization

/// The probes that measure requests delay the replies until the group notifies, or until a timeout expires.
/// ``measureExtraLeave(patience:)`` delays only the last reply. A group that ends too early therefore ends before the
/// timeout, even on a slow machine.
extension GroupAdapter {
  /// A function that sends a request asynchronously, as a member of a group.
  typealias Adapter = @Sendable (FileRequests.Request, DispatchGroup, @escaping FileRequests.Handler) -> Void
  /// A function that sends a request asynchronously, as a member of a group unless the group is nil.
  typealias OptionalAdapter = @Sendable (FileRequests.Request, DispatchGroup?, @escaping FileRequests.Handler) -> Void

  /// Returns an upper bound for the duration of a trial: the delay of the replies in each call, one millisecond for
  /// each request of each call, and ten seconds.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .milliseconds(1) * trial[requests]) * trial[calls] + .seconds(10)
  }

  /// The metrics of every trial that sends requests and is expected to complete.
  private var requestMetrics: [any Declaration] { [sent, unfinished, handlersNotOnce, wrongReplies] }

  /// A probe that sends requests through an adapter with a group, waits until the group notifies, and counts the
  /// requests that were unfinished at that time.
  var measure: Probe<OptionalAdapter> {
    Probe(reads: [requests, failures, hold, calls], records: requestMetrics + [completion]) { trial, send in
      try measureCalls(trial, hold: trial[hold]) { requests in
        let group = DispatchGroup()
        requests.each { send($0, group, $1) }
        group.notify(queue: requests.queue) { requests.completionBlock() }
      }
    }
  }

  /// Returns a probe that sends requests through an adapter without a group, and waits for their handlers. The probe
  /// creates a group, but does not pass the group to the adapter, and waits for the group to end.
  ///
  /// - Parameter patience: the maximum time to wait for the end of the group.
  func measureWithoutGroup(patience: Duration = .seconds(10)) -> Probe<OptionalAdapter> {
    Probe(reads: [requests, failures, calls], records: requestMetrics) { trial, send in
      try measureCalls(trial, hold: patience, completes: false) { requests in
        let group = DispatchGroup()
        requests.each { send($0, nil, $1) }
        group.notify(queue: requests.queue) { requests.completionBlock() }
      }
    }
  }

  /// A probe that sends requests from the child tasks of a task group, and waits for the task group.
  var measureTasks: Probe<@Sendable (FileRequests.Request) async throws -> [UInt8]> {
    Probe(reads: [requests, failures, hold, calls], records: requestMetrics + [completion]) { trial, send in
      try measureCalls(trial, hold: trial[hold]) { requests in
        Task {
          await withTaskGroup { group in
            requests.each { request, handler in
              group.addTask {
                do {
                  handler(try await send(request), 0)
                } catch {
                  handler([], (error as? SystemError)?.code ?? -1)
                }
              }
            }
          }
          requests.completionBlock()
        }
      }
    }
  }

  private func measureCalls(
    _ trial: Trial, hold: Duration, completes: Bool = true, _ send: @escaping (FileRequests) -> Void
  ) throws {
    let (count, failures) = (trial[requests], trial[failures])
    try Self.requireThreads(count)
    let files = try ReadFiles()
    defer { files.remove() }
    var calls: [FileRequests] = []
    // The first call is a warm-up and is not timed.
    for call in 0...trial[self.calls] {
      let requests = FileRequests(of: files, count: count, failures: failures, hold: hold)
      send(requests)
      requests.holdReplies()
      requests.deliverReplies(0..<count)
      requests.waitForHandlers()
      requests.waitForEnd()
      if call > 0, completes, let time = requests.completedAfter { trial.record(completion, time) }
      calls.append(requests)
    }
    try record(trial, calls)
  }

  /// Returns a probe that sends two requests, and checks whether the group notifies too early.
  ///
  /// The first request fails and leaves the group one time more than it enters the group. The reply of the second
  /// request is delayed until the group has ended or `patience` has passed. If the group ends too early, the probe then
  /// enters the group once, to balance the extra leave.
  ///
  /// - Parameter patience: the maximum time to wait for the end of the group.
  func measureExtraLeave(patience: Duration = .seconds(10)) -> Probe<Adapter> {
    Probe(reads: [], records: requestMetrics) { trial, send in
      try Self.requireThreads(2)
      let files = try ReadFiles()
      defer { files.remove() }
      let requests = FileRequests(of: files, count: 2, failures: 1, hold: patience)
      let group = DispatchGroup()
      requests.each { send($0, group, $1) }
      group.notify(queue: requests.queue) { requests.completionBlock() }
      requests.deliverReplies(0..<1)
      if requests.holdReplies() { group.enter() }
      requests.deliverReplies(1..<2)
      requests.waitForHandlers()
      requests.waitForEnd()
      try record(trial, [requests])
    }
  }

  /// A probe that sends the configured number of requests through an adapter that is expected to hang.
  var misuseAsConfigured: Probe<Adapter> {
    Probe(reads: [requests, failures], records: []) { trial, send in
      try misuse(requests: trial[requests], failures: trial[failures], hangsAtEnd: true)(trial, send)
    }
  }

  /// Returns a probe that sends requests through an adapter that is expected to trap or to hang. The replies arrive one
  /// after the other.
  ///
  /// - Parameters:
  ///   - count: the number of requests.
  ///   - failures: the number of requests that fail. The first `failures` requests fail.
  ///   - hangsAtEnd: whether the trial is expected to hang after all handlers have run.
  func misuse(requests count: Int, failures: Int, hangsAtEnd: Bool = false) -> Probe<Adapter> {
    Probe(reads: [], records: []) { trial, send in
      try Self.requireThreads(count)
      let files = try ReadFiles()
      defer { files.remove() }
      let requests = FileRequests(of: files, count: count, failures: failures, hold: .zero)
      let group = DispatchGroup()
      if !hangsAtEnd { trial.hazard() }
      requests.each { request, handler in
        if count == 1 { request.deliverReply() }
        send(request, group, handler)
      }
      for index in 0..<count {
        requests.deliverReplies(index..<(index + 1))
        requests.waitForReply(index)
      }
      group.notify(queue: requests.queue) { requests.completionBlock() }
      if hangsAtEnd { trial.hazard() }
      requests.waitForEnd()
    }
  }

  /// A probe that passes a block to a body that only enters a group, and records how many times the block ran. The
  /// expected count is zero.
  var enter: Probe<@Sendable (DispatchGroup, DispatchQueue, @escaping @Sendable () -> Void) -> Void> {
    Probe(reads: [hold], records: [ranByEnter]) { trial, enter in
      try SystemThread.requireCapacity(for: 4)
      let (group, queue) = (DispatchGroup(), DispatchQueue(label: "entered"))
      let runs = Gauge()
      enter(group, queue) { runs.up() }
      group.wait(within: trial[hold])
      // All blocks that are in the queue by now have run when this call returns.
      queue.sync {}
      trial.record(ranByEnter, runs.now)
      group.leave()
    }
  }

  /// Verifies that enough threads can be started for the requests. The queue of each reply may need a thread, and
  /// DispatchIO may need a few more. If the pool cannot start its threads, Dispatch waits for them forever.
  ///
  /// - Throws: ``SystemError`` if the threads cannot be started.
  private static func requireThreads(_ requests: Int) throws(SystemError) {
    try SystemThread.requireCapacity(for: min(requests + 8, ThreadPool.limit))
  }

  private func record(_ trial: Trial, _ calls: [FileRequests]) throws {
    for call in calls {
      if let error = call.unexpectedError { throw SystemError(error, "read a file with DispatchIO") }
    }
    trial.record(sent, calls.sum { $0.count })
    trial.record(unfinished, calls.sum { $0.early.count })
    trial.record(handlersNotOnce, calls.sum { $0.handlersNotOnce })
    trial.record(wrongReplies, calls.sum { $0.wrong.count })
  }
}

/// The files of a trial: a file that exists, and a path at which no file exists.
final class ReadFiles: Sendable {
  private let directory: ScratchDirectory
  let contents: [UInt8] = (0..<1000).map { _ in UInt8.random(in: .min ... .max) }

  /// Creates the file and writes its content.
  ///
  /// - Throws: ``SystemError`` if the file cannot be written.
  init() throws(SystemError) {
    directory = try ScratchDirectory()
    let descriptor = open(there, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(errno, "write \(there)") }
    defer { close(descriptor) }
    guard write(descriptor, contents, contents.count) == contents.count else {
      throw SystemError(errno, "write \(there)")
    }
  }

  /// The path of the file.
  var there: String { directory.file("there") }
  /// A path at which no file exists.
  var missing: String { directory.file("missing") }

  func remove() { directory.remove() }
}

/// The requests of one group. Each request reads a file with DispatchIO, and the replies are delayed.
final class FileRequests: Sendable {
  /// A handler that receives the bytes of the file, and the error number of the request or 0.
  typealias Handler = @Sendable (_ data: [UInt8], _ error: Int32) -> Void

  /// The queue on which the completion block runs.
  let queue = DispatchQueue(label: "completion")
  private let files: ReadFiles
  private let failures: Int
  /// The queues on which the replies arrive, one for each request.
  private let replies: [DispatchQueue]
  private let end: TimedGate
  /// The number of replies that arrived for each request.
  private let replied: ExecutionCounts
  /// The number of times that the handler of each request has returned.
  private let handlers: ExecutionCounts
  private let otherError = Atomic<Int32>(0)
  private let handlerHasEnded: [DispatchSemaphore]
  private let hasEnded = DispatchSemaphore(value: 0)
  private let last = Moment()
  private let completed = Moment()

  init(of files: ReadFiles, count: Int, failures: Int, hold: Duration) {
    self.files = files
    self.failures = failures
    replies = (0..<count).map { DispatchQueue(label: "reply.\($0)", attributes: .initiallyInactive) }
    handlerHasEnded = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    end = TimedGate(limit: hold)
    handlers = ExecutionCounts(count: count)
    replied = ExecutionCounts(count: count)
  }

  // Freeing an inactive queue traps.
  deinit { deliverReplies(0..<replies.count) }

  // MARK: For the adapter

  /// A request of the group.
  struct Request: Sendable {
    fileprivate let requests: FileRequests
    fileprivate let index: Int

    /// Whether the request is the first request of the group.
    var isFirst: Bool { index == 0 }

    /// The path to read. No file exists at the path of a request that must fail.
    var path: String { index < requests.failures ? requests.files.missing : requests.files.there }

    /// Sends the request asynchronously. The method returns immediately, and `handler` is called once when the reply
    /// arrives.
    func send(_ handler: @escaping Handler) {
      // The channel's own work uses a global queue, and the reply uses the queue of the request.
      guard
        let channel = DispatchIO(
          type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: .global(), cleanupHandler: { _ in })
      else { return requests.replies[index].async { handler([], EINVAL) } }
      channel.setLimit(lowWater: .max)
      let received = Received()
      channel.read(offset: 0, length: .max, queue: requests.replies[index]) { isDone, data, error in
        if let data { received.bytes.withLock { $0 += data } }
        guard isDone else { return }
        channel.close()
        requests.replied.ran(index)
        handler(received.bytes.withLock { $0 }, error)
      }
    }

    /// Delivers the reply to this request, even if other replies are still delayed.
    func deliverReply() { requests.deliverReplies(index..<(index + 1)) }

    /// Waits until the reply has arrived and its handler has returned.
    func waitForReply() { requests.waitForReply(index) }
  }

  private final class Received: Sendable { let bytes = Mutex<[UInt8]>([]) }

  /// Records the time and the number of unfinished requests. The completion block calls this method, and must run after
  /// all requests.
  func completionBlock() {
    completed.set()
    let missed = (0..<count).count { replied[$0] == 0 || handlers[$0] == 0 }
    early.add(missed)
    end.open()
    hasEnded.signal()
  }

  // MARK: Running

  var count: Int { replies.count }

  /// Calls `send` for each request, with the request and the handler for the reply. Then starts the timeout for delayed
  /// replies.
  func each(_ send: (Request, @escaping Handler) -> Void) {
    for index in 0..<count {
      send(Request(requests: self, index: index)) { data, error in self.handle(index, data, error) }
    }
    end.startTimeLimit()
  }

  private func handle(_ index: Int, _ data: [UInt8], _ error: Int32) {
    if [EMFILE, ENFILE, ENOMEM].contains(error) { otherError.store(error, ordering: .relaxed) }
    let isRight = index < failures ? error == ENOENT && data.isEmpty : error == 0 && data == files.contents
    if !isRight { wrong.add() }
    last.set()
    guard handlers.ran(index) == 1 else { return }
    handlerHasEnded[index].signal()
  }

  /// Waits until the completion block has been called, or until the timeout for delayed replies expires. The timeout
  /// starts once all requests have been sent.
  ///
  /// - Returns: whether the completion block was called before the timeout.
  @discardableResult func holdReplies() -> Bool { end.wait() }

  /// Delivers the replies of the requests at `indices`.
  func deliverReplies(_ indices: Range<Int>) { for index in indices { replies[index].activate() } }

  /// Waits for the handler of the request at `index`, and for all blocks that were submitted to the queue of its reply.
  func waitForReply(_ index: Int) {
    handlerHasEnded[index].wait()
    replies[index].sync {}
    handlerHasEnded[index].signal()
  }

  /// Waits for the handlers of all requests, including any handler that runs twice.
  func waitForHandlers() { for index in 0..<count { waitForReply(index) } }

  /// Waits until the completion block has run.
  func waitForEnd() { hasEnded.wait() }

  // MARK: Results

  /// The number of requests that had no reply, or whose handler had not returned, when the completion block ran.
  let early = Tally()
  /// The number of requests whose handler was not called exactly once.
  var handlersNotOnce: Int { handlers.notOnce }
  /// The number of handler calls that did not receive the expected result. The expected result is the content of the
  /// file, or the error that the file does not exist.
  let wrong = Tally()
  /// The error number of a reply that failed because the machine lacked resources; nil if there was no such reply.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .acquiring)
    return error == 0 ? nil : error
  }
  /// The nanoseconds from the end of the last handler to the completion block; nil if either event did not occur.
  var completedAfter: UInt64? { completed.since(last) }
}
