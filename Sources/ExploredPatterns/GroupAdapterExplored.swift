import Exploration
import Instruments

/// The requests of one group. The first `failures` requests fail. Each reply arrives on its own queue.
final class FileRequests: @unchecked Sendable {
  /// A handler that receives the bytes of the file, and the error number of the request or 0.
  typealias Handler = @Sendable (_ data: [UInt8], _ error: Int32) -> Void

  /// A request for one file.
  struct Request: Sendable {
    fileprivate let requests: FileRequests
    fileprivate let index: Int

    var isFirst: Bool { index == 0 }
    var path: String { "file \(index + 1)" }

    /// Sends the request and returns immediately. The handler is called once, in a later step.
    func send(_ handler: @escaping Handler) {
      requests.replies[index].async { [self] in
        index < requests.failures ? handler([], ENOENT) : handler([1], 0)
      }
    }

    /// Waits until the handler has run.
    func waitForReply() {
      Execution.wait("waits for the reply of request \(index + 1)") { requests.handled[index].atEnd > 0 }
    }
  }

  let queue = DispatchQueue(label: "completion")
  private let failures: Int
  private let replies: [DispatchQueue]
  /// The number of times that each request was handled, by index.
  private let handled: [Variable<Int>]
  private var completions = 0

  init(count: Int, failures: Int) {
    self.failures = failures
    replies = (0..<count).map { DispatchQueue(label: "reply \($0 + 1)") }
    handled = (0..<count).map { Variable("request \($0 + 1)", 0) }
  }

  /// Calls `send` for each request, with the handler that receives the result.
  func each(_ send: (Request, @escaping Handler) -> Void) {
    for index in replies.indices {
      send(Request(requests: self, index: index)) { data, error in
        self.handled[index].set(self.handled[index].atEnd + 1) {
          "handles request \(index + 1), which \(error == 0 ? "succeeded" : "failed")"
        }
      }
    }
  }

  /// Executes the completion block of the group. A request that has not been handled is a broken promise.
  func completionBlock() {
    completions += 1
    Execution.note("runs the completion")
    if let index = handled.firstIndex(where: { $0.value == 0 }) {
      Execution.breaks("completed before request \(index + 1)")
    }
  }

  func judge(completes: Bool = true) {
    if completes, completions != 1 { Execution.breaks("the completion ran \(completions) times") }
    if let index = handled.firstIndex(where: { $0.atEnd != 1 }) {
      Execution.breaks("the handler of request \(index + 1) ran \(handled[index].atEnd) times")
    }
  }
}

extension GroupAdapter {
  static let exploration = Self.explored(settings: ["requests": .integer(2), "failures": .integer(1)])

  typealias Adapter = @Sendable (FileRequests.Request, DispatchGroup, @escaping FileRequests.Handler) -> Void
  typealias OptionalAdapter = @Sendable (FileRequests.Request, DispatchGroup?, @escaping FileRequests.Handler) -> Void

  var measure: Probe<OptionalAdapter> {
    Probe { trial, send in try misuse(requests: 2, failures: 1)(trial) { send($0, $1, $2) } }
  }

  func measureWithoutGroup() -> Probe<OptionalAdapter> {
    Probe { _, send in
      let requests = FileRequests(count: 2, failures: 1)
      requests.each { send($0, nil, $1) }
      Execution.settle()
      requests.judge(completes: false)
    }
  }

  var measureTasks: Probe<@Sendable (FileRequests.Request) async throws -> [UInt8]> {
    Probe { _, send in
      let requests = FileRequests(count: 2, failures: 1)
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
      Execution.settle()
      requests.judge()
    }
  }

  func measureExtraLeave() -> Probe<Adapter> { misuseAsConfigured }

  var misuseAsConfigured: Probe<Adapter> { misuse(requests: 2, failures: 1) }

  func misuse(requests count: Int, failures: Int) -> Probe<Adapter> {
    Probe { _, send in
      let requests = FileRequests(count: count, failures: failures)
      let group = DispatchGroup()
      requests.each { send($0, group, $1) }
      group.notify(queue: requests.queue) { requests.completionBlock() }
      Execution.settle()
      requests.judge()
    }
  }

  var enter: Probe<@Sendable (DispatchGroup, DispatchQueue, @escaping @Sendable () -> Void) -> Void> {
    Probe { _, enter in
      enter(DispatchGroup(), DispatchQueue(label: "entered")) { Execution.breaks("the group runs a block") }
      Execution.settle()
    }
  }
}
