#if canImport(Darwin)
  import Darwin

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.

  /// A Mach port of this process. Each message to the port consists of a number.
  ///
  /// Conformance to `Sendable` is unchecked: the kernel synchronizes access to a port from several threads.
  public final class MachPort: @unchecked Sendable {
    /// The name of the process's rights to the port.
    public let name: mach_port_name_t
    /// The size in bytes of a buffer for a message and for the trailer that the kernel appends to the message.
    private static let largestMessage = 256

    /// Creates a port with a receive right and a send right.
    ///
    /// - Throws: ``SystemError`` if the kernel cannot allocate a port.
    public init() throws(SystemError) {
      var name = mach_port_name_t(MACH_PORT_NULL)
      guard mach_port_allocate(mach_task_self_, MACH_PORT_RIGHT_RECEIVE, &name) == KERN_SUCCESS else {
        throw SystemError(EAGAIN, "make a Mach port")
      }
      self.name = name
      let right = mach_msg_type_name_t(MACH_MSG_TYPE_MAKE_SEND)
      guard mach_port_insert_right(mach_task_self_, name, name, right) == KERN_SUCCESS else {
        mach_port_mod_refs(mach_task_self_, name, MACH_PORT_RIGHT_RECEIVE, -1)
        throw SystemError(EAGAIN, "make a right to send to a Mach port")
      }
    }

    /// Sends a message that contains only `number`. Blocks while the port's queue is full.
    ///
    /// - Throws: ``SystemError`` if the message cannot be sent, for example because the port is dead.
    public func send(_ number: Int32) throws(SystemError) {
      var header = mach_msg_header_t()
      header.msgh_bits = mach_msg_bits_t(MACH_MSG_TYPE_COPY_SEND)
      header.msgh_size = mach_msg_size_t(MemoryLayout<mach_msg_header_t>.size)
      header.msgh_remote_port = name
      header.msgh_id = number
      let status = mach_msg(&header, MACH_SEND_MSG, header.msgh_size, 0, mach_port_name_t(MACH_PORT_NULL), 0, 0)
      guard status == KERN_SUCCESS else { throw SystemError(EPIPE, "send to a Mach port") }
    }

    /// Returns the number in the next message; nil if no message is pending, or if the receive right was released.
    public func receive() -> Int32? {
      let memory = UnsafeMutableRawPointer.allocate(byteCount: Self.largestMessage, alignment: 16)
      defer { memory.deallocate() }
      let header = memory.bindMemory(to: mach_msg_header_t.self, capacity: 1)
      let size = mach_msg_size_t(Self.largestMessage)
      let status = mach_msg(header, MACH_RCV_MSG | MACH_RCV_TIMEOUT, 0, size, name, 0, 0)
      return status == KERN_SUCCESS ? header.pointee.msgh_id : nil
    }

    /// Releases the receive right. The port is dead afterwards.
    public func endReceiving() { mach_port_mod_refs(mach_task_self_, name, MACH_PORT_RIGHT_RECEIVE, -1) }

    /// Releases the send right of a live or a dead port.
    public func endSending() { mach_port_deallocate(mach_task_self_, name) }
  }
#endif
