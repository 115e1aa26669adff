import Dispatch
import Instruments

/// Does a Mach port source deliver the events of its port?
///
/// The Concurrency Programming Guide lists events of Mach ports among the events that a source can monitor, and states
/// that the cancellation handler must release the port. The guide has no listing for Mach ports. In C, the calls are:
///
/// ```c
/// dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_MACH_RECV, port, 0, queue);
/// dispatch_source_set_event_handler(source, ^{
///   // receive with a timeout of 0, until no message is left
/// });
/// dispatch_source_set_cancel_handler(source, ^{
///   mach_port_mod_refs(mach_task_self(), port, MACH_PORT_RIGHT_RECEIVE, -1); });
/// dispatch_resume(source);
/// ```
///
/// Only Darwin has Mach ports. The variants follow the documented API and have never been run.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "About Dispatch Sources", "Installing a Cancellation
/// Handler".
struct MachPortPattern: Pattern {
  static let name = "mach-port"
  static let needs: [Requirement] = [.darwin]

  let messages = Parameter.count("messages", 1...100_000, default: 1000, "messages sent to the port")

  let lost = Metric.count("lost", "messages not received exactly once and in order")
  let cancelHandlerNotOnce = Metric.count(
    "cancel-handler-not-once", "sources whose cancel handler did not run exactly once")
  let unreportedDeaths = Metric.count("unreported-deaths", "destroyed ports for which no event was delivered")

  var problem: [any Declaration] { [messages] }

  var variants: [Variant] {
    Variant("receive", .documented, "a Mach receive source on a port's receive right", exchange()) { inbox in
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
    Variant(
      "dead-name", .documented, "a Mach send source on the send right of a port that is destroyed", destroyPort()
    ) { inbox in
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

  /// The message of the error that is thrown on systems other than Darwin.
  private var noPorts: String { "only Darwin has Mach ports" }
}
