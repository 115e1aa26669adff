import Dispatch
import Instruments
import Synchronization

/// How an adapter is tried.
///
/// Its requests are sent while all replies are held back, until the group says that all has ended, or until the time is
/// up: a group that ends too early does so then, however slow the machine is.
extension GroupAdapter {
  /// An asynchronous call that takes a group.
  typealias Adapter = @Sendable (FileRequests.Request, DispatchGroup, @escaping FileRequests.Handler) -> Void
  /// One that may be given none.
  typealias OptionalAdapter = @Sendable (FileRequests.Request, DispatchGroup?, @escaping FileRequests.Handler) -> Void

  /// The replies are held back in each call.
  func longest(_ trial: Trial) -> Duration? {
    (trial[hold] + .milliseconds(1) * trial[requests]) * trial[calls] + .seconds(10)
  }

  /// Sends requests through an adapter with a group, waits for the group to notify, and counts the handlers that ran
  /// before.
  func measure(_ trial: Trial, _ send: @escaping OptionalAdapter) throws {
    try measureCalls(trial, hold: trial[hold]) { requests in
      let group = DispatchGroup()
      requests.each { send($0, group, $1) }
      group.notify(queue: requests.queue) { requests.completionBlock() }
    }
  }

  /// Sends requests through an adapter without a group, and waits for their handlers. The group that there is knows
  /// nothing of them; its end is awaited for `patience`.
  func measureWithoutGroup(
    _ trial: Trial, patience: Duration = .seconds(10), _ send: @escaping OptionalAdapter
  ) throws {
    try measureCalls(trial, hold: patience, completes: false) { requests in
      let group = DispatchGroup()
      requests.each { send($0, nil, $1) }
      group.notify(queue: requests.queue) { requests.completionBlock() }
    }
  }

  /// Sends requests from the child tasks of a task group, and waits for the group.
  func measureTasks(_ trial: Trial, _ send: @escaping @Sendable (FileRequests.Request) async throws -> [UInt8]) throws {
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

  private func measureCalls(
    _ trial: Trial, hold: Duration, completes: Bool = true, _ send: @escaping (FileRequests) -> Void
  ) throws {
    let (count, failures) = (trial[requests], trial[failures])
    try Self.requireThreads(count)
    let files = try ReadFiles()
    defer { files.remove() }
    var calls: [FileRequests] = []
    // The first one warms up, and is not timed.
    for call in 0...trial[self.calls] {
      let requests = FileRequests(of: files, count: count, failures: failures, hold: hold)
      send(requests)
      requests.holdReplies()
      requests.letReplies(0..<count)
      requests.waitForHandlers()
      requests.waitForEnd()
      if call > 0, completes, let time = requests.completedAfter { trial.record(completion, time) }
      calls.append(requests)
    }
    try record(trial, calls)
  }

  /// Sends two requests, the first of which fails and leaves the group twice, and looks whether the group notifies too
  /// early. The second one's reply is held back until the group has ended; then the group is entered for the leave that
  /// was too many.
  ///
  /// - Parameter patience: how long the end of the group is awaited.
  func measureExtraLeave(_ trial: Trial, patience: Duration = .seconds(10), _ send: @escaping Adapter) throws {
    try Self.requireThreads(2)
    let files = try ReadFiles()
    defer { files.remove() }
    let requests = FileRequests(of: files, count: 2, failures: 1, hold: patience)
    let group = DispatchGroup()
    requests.each { send($0, group, $1) }
    group.notify(queue: requests.queue) { requests.completionBlock() }
    requests.letReplies(0..<1)
    if requests.holdReplies() { group.enter() }
    requests.letReplies(1..<2)
    requests.waitForHandlers()
    requests.waitForEnd()
    try record(trial, [requests])
  }

  /// Sends requests through an adapter that is meant to trap or to hang. Their replies come one after the other.
  func misuse(_ trial: Trial, requests count: Int, failures: Int, _ send: @escaping Adapter) throws {
    try Self.requireThreads(count)
    let files = try ReadFiles()
    defer { files.remove() }
    let requests = FileRequests(of: files, count: count, failures: failures, hold: .zero)
    let group = DispatchGroup()
    trial.hazard()
    requests.each { request, handler in
      if count == 1 { requests.letReplies(0..<1) }
      send(request, group, handler)
    }
    for index in 0..<count {
      requests.letReplies(index..<(index + 1))
      requests.waitForReply(index)
    }
    group.notify(queue: requests.queue) { requests.completionBlock() }
    requests.waitForEnd()
  }

  /// Enters a group, and looks whether that alone has run any block.
  func enter(
    _ trial: Trial, _ enter: (DispatchGroup, DispatchQueue, @escaping @Sendable () -> Void) -> Void
  ) throws {
    try SystemThread.requireRoom(for: 4)
    let (group, queue) = (DispatchGroup(), DispatchQueue(label: "entered"))
    let runs = Gauge()
    enter(group, queue) { runs.up() }
    group.wait(within: trial[hold])
    // What is in the queue by now runs before this.
    queue.sync {}
    trial.record(ranByEnter, runs.now)
    group.leave()
  }

  /// The queue of each reply may want a thread, and DispatchIO some. Where the pool cannot have them, Dispatch waits
  /// for ever.
  private static func requireThreads(_ requests: Int) throws(SystemError) {
    try SystemThread.requireRoom(for: min(requests + 8, ThreadPool.limit))
  }

  private func record(_ trial: Trial, _ calls: [FileRequests]) throws {
    for call in calls {
      if let error = call.unexpectedError { throw SystemError(error, "read a file by DispatchIO") }
    }
    trial.record(sent, calls.reduce(0) { $0 + $1.count })
    trial.record(unfinished, calls.reduce(0) { $0 + $1.early })
    trial.record(handlersNotOnce, calls.reduce(0) { $0 + $1.handlersNotOnce })
    trial.record(wrongReplies, calls.reduce(0) { $0 + $1.wrong })
  }
}

/// The files of a trial: one that is there, and one that is not.
final class ReadFiles: Sendable {
  private let directory: ScratchDirectory
  /// What is in the one that is there.
  let contents: [UInt8] = (0..<1000).map { _ in UInt8.random(in: .min ... .max) }

  /// Writes the file.
  ///
  /// - Throws: ``SystemError`` when it cannot be written.
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
  /// A path without a file.
  var missing: String { directory.file("missing") }

  /// Removes the file.
  func remove() { directory.remove() }
}

/// The requests of one group, each of which reads a file by DispatchIO and has its reply held back.
final class FileRequests: Sendable {
  /// What a request came to: the bytes of the file, or an error number.
  typealias Handler = @Sendable (_ data: [UInt8], _ error: Int32) -> Void

  /// Where the completion is to run.
  let queue = DispatchQueue(label: "completion")
  private let files: ReadFiles
  private let failures: Int
  /// Where the reply of each request comes, one queue a request.
  private let replies: [DispatchQueue]
  private let end: BoundedGate
  /// How often the reply of each request came, and its handler ended.
  private let replied: RunCounts
  private let handlers: RunCounts
  private let strange = Atomic<Int>(0)
  private let otherError = Atomic<Int32>(0)
  private let missedAtEnd = Atomic<Int>(0)
  private let handlerHasEnded: [DispatchSemaphore]
  private let hasEnded = DispatchSemaphore(value: 0)
  private let last = Moment()
  private let completed = Moment()

  init(of files: ReadFiles, count: Int, failures: Int, hold: Duration) {
    self.files = files
    self.failures = failures
    replies = (0..<count).map { DispatchQueue(label: "reply.\($0)", attributes: .initiallyInactive) }
    handlerHasEnded = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    end = BoundedGate(bound: hold)
    handlers = RunCounts(count: count)
    replied = RunCounts(count: count)
  }

  // Freeing an inactive queue traps.
  deinit { letReplies(0..<replies.count) }

  // MARK: What an adapter uses

  /// One request.
  struct Request: Sendable {
    fileprivate let requests: FileRequests
    fileprivate let index: Int

    /// What is to be read.
    var path: String { index < requests.failures ? requests.files.missing : requests.files.there }

    /// Sends the request, as an asynchronous interface does: returns at once, and calls `handler` later, once.
    func send(_ handler: @escaping Handler) {
      // What it does on its own goes through the queue of the channel, its replies through the other.
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

    /// Lets the reply come, however long the others are held back.
    func letReply() { requests.letReplies(index..<(index + 1)) }

    /// Waits until the reply has come, and the handler has run.
    func waitForReply() { requests.waitForReply(index) }
  }

  private final class Received: Sendable { let bytes = Mutex<[UInt8]>([]) }

  /// The document's block behind all requests.
  func completionBlock() {
    completed.set()
    let missed = (0..<count).count { replied[$0] == 0 || handlers[$0] == 0 }
    missedAtEnd.store(missed, ordering: .releasing)
    end.open()
    hasEnded.signal()
  }

  // MARK: Running it

  /// How many requests there are.
  var count: Int { replies.count }

  /// Calls `send` for each, with the handler that takes the result.
  func each(_ send: (Request, @escaping Handler) -> Void) {
    for index in 0..<count {
      send(Request(requests: self, index: index)) { data, error in self.handle(index, data, error) }
    }
    end.restHasFinished()
  }

  private func handle(_ index: Int, _ data: [UInt8], _ error: Int32) {
    if [EMFILE, ENFILE, ENOMEM].contains(error) { otherError.store(error, ordering: .relaxed) }
    let isRight = index < failures ? error == ENOENT && data.isEmpty : error == 0 && data == files.contents
    if !isRight { strange.add(1, ordering: .relaxed) }
    last.set()
    guard handlers.ran(index) == 1 else { return }
    handlerHasEnded[index].signal()
  }

  /// Waits until the group has ended, or for as long as replies are to be held back once all is sent.
  ///
  /// - Returns: whether the group has ended.
  @discardableResult func holdReplies() -> Bool { end.pass() }

  /// Lets these replies come.
  func letReplies(_ indices: Range<Int>) { for index in indices { replies[index].activate() } }

  /// Waits for the handler of this request, and for all blocks that came with its reply.
  func waitForReply(_ index: Int) {
    handlerHasEnded[index].wait()
    replies[index].sync {}
    handlerHasEnded[index].signal()
  }

  /// The same for all; those have run then that came twice.
  func waitForHandlers() { for index in 0..<count { waitForReply(index) } }

  /// Waits until the completion has run.
  func waitForEnd() { hasEnded.wait() }

  // MARK: What came of it

  /// How many had no reply when the completion ran, or a handler that had not ended.
  var early: Int { missedAtEnd.load(ordering: .acquiring) }
  /// How many were not called exactly once.
  var handlersNotOnce: Int { handlers.notOnce }
  /// How many were told something else than what is in their file, or that there is none.
  var wrong: Int { strange.load(ordering: .acquiring) }
  /// An error of the machine's, which has no more of something.
  var unexpectedError: Int32? {
    let error = otherError.load(ordering: .acquiring)
    return error == 0 ? nil : error
  }
  /// Nanoseconds from the last handler to the completion.
  var completedAfter: UInt64? { completed.since(last) }
}
