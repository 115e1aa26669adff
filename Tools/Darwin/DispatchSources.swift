// swift-format-ignore-file
// The dispatch sources that exist only on Darwin, with the declarations of Dispatch's overlay on Darwin (Source.swift
// of swift-corelibs-libdispatch). That file declares the events of files on all systems. All sources are objects on
// Darwin. The system defines and documents the names.
import Dispatch

public protocol DispatchSourceFileSystemObject: AnyObject, DispatchSourceProtocol {
  var handle: Int32 { get }
  var data: DispatchSource.FileSystemEvent { get }
  var mask: DispatchSource.FileSystemEvent { get }
}
public protocol DispatchSourceProcess: AnyObject, DispatchSourceProtocol {
  var handle: pid_t { get }
  var data: DispatchSource.ProcessEvent { get }
  var mask: DispatchSource.ProcessEvent { get }
}
public protocol DispatchSourceMachReceive: AnyObject, DispatchSourceProtocol { var handle: mach_port_t { get } }
public protocol DispatchSourceMachSend: AnyObject, DispatchSourceProtocol {
  var handle: mach_port_t { get }
  var data: DispatchSource.MachSendEvent { get }
  var mask: DispatchSource.MachSendEvent { get }
}

extension DispatchSource {
  public struct ProcessEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let exit = Self(rawValue: 0x8000_0000)
    public static let fork = Self(rawValue: 0x4000_0000)
    public static let exec = Self(rawValue: 0x2000_0000)
    public static let signal = Self(rawValue: 0x0800_0000)
    public static let all: Self = [.exit, .fork, .exec, .signal]
  }
  public struct MachSendEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let dead = Self(rawValue: 0x1)
  }
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError() }
  public class func makeProcessSource(
    identifier: pid_t, eventMask: ProcessEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceProcess { fatalError() }
  public class func makeMachReceiveSource(
    port: mach_port_t, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMachReceive { fatalError() }
  public class func makeMachSendSource(
    port: mach_port_t, eventMask: MachSendEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMachSend { fatalError() }
}
