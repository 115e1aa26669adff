import Dispatch
import Instruments

/// How does an asynchronous call become part of a group?
///
/// The document "dispatch_group" wraps a URL connection's asynchronous request in a method that takes a group. The
/// method enters the group before the request. In the request's handler, the method calls the caller's handler and then
/// leaves the group. If the caller passes no group, the method only forwards the request. The variant `balanced` calls
/// the method with a group, and the variant `nil-group` calls the method without a group.
///
/// A request in a trial reads a file with DispatchIO, or fails because the file does not exist. `FileRequests` sends
/// and measures the requests.
///
/// Sources: dispatch_group, "existing APIs"; "GCD in depth", Dispatch Groups; "The Replacement of the Semaphore".
struct GroupAdapter: Pattern {
  static let name = "group-adapter"

  let requests = Parameter.count("requests", 1...200, default: 10, "requests in the group")
  let failures = Parameter.count(
    "failures", 1...200, default: 3, "requests that read a file that does not exist")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(5),
    "how long replies are held back after all requests were sent, unless the group ends earlier")
  let calls = Parameter.count("calls", 1...1000, default: 10, "groups per trial, one after the other")

  let sent = Metric.count("sent", "requests sent")
  let unfinished = Metric.count(
    "unfinished", "requests without a reply, or with a running handler, when the group ended")
  let handlersNotOnce = Metric.count("handlers-not-once", "requests whose handler was not called exactly once")
  let wrongReplies = Metric.count(
    "wrong-replies", "handlers that received neither the content of their file nor the error that no file exists")
  let completion = Metric.latency("completion", "from the end of the last handler until the completion block starts")
  let ranByEnter = Metric.count("ran-by-enter", "blocks that ran because the group was entered")

  var problem: [any Declaration] { [requests, calls, hold] }

  var variants: [Variant] {
    Variant("balanced", .documented, "enters before the call, leaves in its handler on success and on error", measure) {
      request, group, handler in
      guard let group else { return request.send(handler) }
      group.enter()
      request.send { data, error in
        handler(data, error)
        group.leave()
      }
    }
    Variant("nil-group", .documented, "the same adapter, called without a group", measureWithoutGroup()) {
      request, group, handler in
      guard let group else { return request.send(handler) }
      group.enter()
      request.send { data, error in
        handler(data, error)
        group.leave()
      }
    }
    Variant(
      "leave-missing-on-error", .broken, "leaves only when the request succeeds", misuseAsConfigured,
      ends: .hangs(within: .milliseconds(50))
    ) { request, group, handler in
      group.enter()
      request.send { data, error in
        handler(data, error)
        guard error == 0 else { return }
        group.leave()
      }
    }
    Variant(
      "extra-leave", .broken, "leaves twice on an error; no other request is in the group",
      misuse(requests: 1, failures: 1), ends: .trapsAtOnce
    ) { request, group, handler in
      group.enter()
      request.send { data, error in
        if error != 0 { group.leave() }
        handler(data, error)
        group.leave()
      }
    }
    Variant(
      "extra-leave-early", .broken,
      "leaves twice on an error while another request is outstanding; the lab enters once more to continue",
      measureExtraLeave()
    ) { request, group, handler in
      group.enter()
      request.send { data, error in
        if error != 0 { group.leave() }
        handler(data, error)
        group.leave()
      }
    }
    Variant(
      "extra-leave-late", .broken, "leaves twice on an error while another request waits; that one leaves later",
      misuse(requests: 2, failures: 1), ends: .trapsAtOnce
    ) { request, group, handler in
      group.enter()
      request.send { data, error in
        if error != 0 { group.leave() }
        handler(data, error)
        group.leave()
      }
    }
    Variant(
      "leave-before-enter", .broken, "enters after the call, whose reply came first", misuse(requests: 1, failures: 1),
      ends: .trapsAtOnce
    ) { request, group, handler in
      request.send { data, error in
        handler(data, error)
        group.leave()
      }
      request.waitForReply()
      group.enter()
    }
    Variant(
      "leave-before-enter-again", .broken, "as leave-before-enter, in a group that was entered and left before",
      misuse(requests: 1, failures: 1), ends: .trapsAtOnce
    ) { request, group, handler in
      group.enter()
      group.leave()
      request.send { data, error in
        handler(data, error)
        group.leave()
      }
      request.waitForReply()
      group.enter()
    }
    Variant(
      "leave-before-enter-early", .broken,
      "the first of two requests is entered after its reply, while the second is outstanding", measureExtraLeave()
    ) { request, group, handler in
      if !request.isFirst { group.enter() }
      request.send { data, error in
        handler(data, error)
        group.leave()
      }
    }
    Variant("enter-only", .documented, "enters the group and expects it to run a block", enter) { group, queue, block in
      group.enter()
    }
    Variant("continuation", .modern, "the same call as an async function; a task group waits for it", measureTasks) {
      request in
      try await withCheckedThrowingContinuation { reply in
        request.send { data, error in
          if error == 0 {
            reply.resume(returning: data)
          } else {
            reply.resume(throwing: SystemError(error, "read \(request.path)"))
          }
        }
      }
    }
  }
}
