import Dispatch
import Laboratory
import Platform

/// Does a Mach port source tell of its port?
///
/// The document names Mach ports among the things that a source can watch, and says that the cancel handler has to give the port
/// back. It has no listing; this is what its C functions come to:
///
/// ```c
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_MACH_RECV, port, 0, queue);
/// dispatch_source_set_event_handler(source, ^{
///   // receive with a timeout of 0, until there is nothing left
/// });
/// dispatch_source_set_cancel_handler(source, ^{ mach_port_mod_refs(mach_task_self(), port, MACH_PORT_RIGHT_RECEIVE, -1); });
/// dispatch_resume(source);
/// ```
///
/// Mach ports are Darwin's. The bodies are written to the documented API; nobody has run them yet.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "About Dispatch Sources", "Installing a Cancellation Handler".
struct MachPortPattern: Pattern {
  static let name = "mach-port"
  static let needs: [Need] = [.darwin]

  let messages = Setting.count("messages", 1...100_000, default: 1000, "messages that are sent to the port")

  let lost = Metric.count("lost", "messages that did not come once, or not in their turn")
  let endNotOnce = Metric.count("end-not-once", "cancel handlers that did not run just once")
  let untold = Metric.count("untold", "deaths of a port that were not told")

  var problem: [any Declaration] { [messages] }

  var variants: [Variant] {
    Variant("receive", .documented, "a source of a port's messages", own: [messages, lost, endNotOnce]) { trial in
      try exchange(trial) { inbox in
        #if canImport(Darwin)
          let port = try MachPort()
          let source = DispatchSource.makeMachReceiveSource(port: port.name, queue: inbox.queue)
          source.setEventHandler {
            while let number = port.receive() { inbox.received(number) }
          }
          source.setCancelHandler {
            port.endSending()
            port.endReceiving()
            inbox.ended()
          }
          source.activate()
          return PortSender(send: { try port.send($0) }, end: { source.cancel() })
        #else
          throw Unavailable(noPorts)
        #endif
      }
    }
    Variant("dead-name", .documented, "a source of the right to send to a port that dies", own: [untold, endNotOnce]) {
      trial in
      try die(trial) { inbox in
        #if canImport(Darwin)
          let port = try MachPort()
          let source = DispatchSource.makeMachSendSource(port: port.name, eventMask: .dead, queue: inbox.queue)
          source.setEventHandler {
            if source.data.contains(.dead) { inbox.received(0) }
          }
          source.setCancelHandler {
            port.endSending()
            inbox.ended()
          }
          source.activate()
          return PortSender(send: { _ in port.endReceiving() }, end: { source.cancel() })
        #else
          throw Unavailable(noPorts)
        #endif
      }
    }
  }

  private var noPorts: String { "Mach ports are needed, which only Darwin has" }
}
