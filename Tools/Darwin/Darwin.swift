// swift-format-ignore-file
// The declarations of Darwin's C library and kernel that the lab uses, for `make darwin-check`. Their names and types
// are those that Swift imports from Darwin's headers. The system defines and documents the names. The declarations are
// never executed. Declarations that both systems share are those of Glibc.
@_exported import Glibc

// MARK: <spawn.h>

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
@discardableResult public func posix_spawn_file_actions_init(_: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_destroy(_: UnsafeMutablePointer<posix_spawn_file_actions_t?>!) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_adddup2(
  _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _: Int32, _: Int32
) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_addopen(
  _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _: Int32, _: UnsafePointer<CChar>!, _: Int32, _: mode_t
) -> Int32 { 0 }
@discardableResult public func posix_spawn(
  _: UnsafeMutablePointer<pid_t>!, _: UnsafePointer<CChar>!, _: UnsafePointer<posix_spawn_file_actions_t?>!,
  _: UnsafePointer<posix_spawnattr_t?>!, _: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { 0 }

// MARK: <pthread.h>

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
@discardableResult public func pthread_create(
  _: UnsafeMutablePointer<pthread_t?>!, _: UnsafePointer<pthread_attr_t>?,
  _: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?
) -> Int32 { 0 }
@discardableResult public func pthread_join(_: pthread_t, _: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_: pthread_t) -> Int32 { 0 }
@discardableResult public func pthread_self() -> pthread_t { pthread_t(bitPattern: 1)! }
@discardableResult public func pthread_kill(_: pthread_t, _: Int32) -> Int32 { 0 }
@discardableResult public func pthread_main_np() -> Int32 { 0 }
public struct qos_class_t: Sendable { public var rawValue: UInt32 }
public func qos_class_self() -> qos_class_t { qos_class_t(rawValue: 0) }
@discardableResult public func pthread_threadid_np(_: pthread_t?, _: UnsafeMutablePointer<UInt64>!) -> Int32 { 0 }

// MARK: <fcntl.h>, <unistd.h>, <time.h>, <sys/resource.h>, <sys/sysctl.h>, <mach-o/dyld.h>

public var O_EVTONLY: Int32 { 0x8000 }
public var F_GETPATH: Int32 { 50 }
@discardableResult public func clock_gettime_nsec_np(_: clockid_t) -> UInt64 { 0 }
public var _SC_CLK_TCK: Int32 { 3 }
public var RUSAGE_SELF: Int32 { 0 }
public var RUSAGE_CHILDREN: Int32 { -1 }
public var RLIMIT_NOFILE: Int32 { 8 }
@discardableResult public func sysctlbyname(
  _: UnsafePointer<CChar>!, _: UnsafeMutableRawPointer!, _: UnsafeMutablePointer<Int>!, _: UnsafeMutableRawPointer!,
  _: Int
) -> Int32 { 0 }
@discardableResult public func _NSGetExecutablePath(_: UnsafeMutablePointer<CChar>!, _: UnsafeMutablePointer<UInt32>!) -> Int32 { 0 }

// MARK: <libproc.h>, <sys/proc_info.h>

public var PROC_PIDTASKINFO: Int32 { 4 }
public struct proc_taskinfo {
  public var pti_threadnum: Int32 = 0
  public init() {}
}
@discardableResult public func proc_pidinfo(_: Int32, _: Int32, _: UInt64, _: UnsafeMutableRawPointer!, _: Int32) -> Int32 { 0 }

// MARK: <mach/mach.h>

public typealias natural_t = UInt32
public typealias integer_t = Int32
public typealias kern_return_t = Int32
public typealias mach_port_t = UInt32
public typealias mach_port_name_t = UInt32
public typealias mach_port_right_t = UInt32
public typealias mach_msg_type_number_t = UInt32
public typealias mach_msg_type_name_t = UInt32
public typealias mach_msg_bits_t = UInt32
public typealias mach_msg_size_t = UInt32
public typealias mach_msg_id_t = Int32
public typealias task_flavor_t = UInt32
nonisolated(unsafe) public var mach_task_self_: mach_port_t = 0
public var KERN_SUCCESS: Int32 { 0 }
public var MACH_PORT_NULL: Int32 { 0 }
public var MACH_PORT_RIGHT_RECEIVE: mach_port_right_t { 1 }
public var MACH_MSG_TYPE_MAKE_SEND: Int32 { 20 }
public var MACH_MSG_TYPE_COPY_SEND: Int32 { 19 }
public var MACH_SEND_MSG: Int32 { 1 }
public var MACH_RCV_MSG: Int32 { 2 }
public var MACH_SEND_TIMEOUT: Int32 { 0x10 }
public var MACH_RCV_TIMEOUT: Int32 { 0x100 }
@discardableResult public func mach_port_allocate(
  _: mach_port_t, _: mach_port_right_t, _: UnsafeMutablePointer<mach_port_name_t>!
) -> kern_return_t { 0 }
@discardableResult public func mach_port_insert_right(
  _: mach_port_t, _: mach_port_name_t, _: mach_port_t, _: mach_msg_type_name_t
) -> kern_return_t { 0 }
@discardableResult public func mach_port_mod_refs(
  _: mach_port_t, _: mach_port_name_t, _: mach_port_right_t, _: Int32
) -> kern_return_t { 0 }
@discardableResult public func mach_port_deallocate(_: mach_port_t, _: mach_port_name_t) -> kern_return_t { 0 }
public struct mach_msg_header_t {
  public var msgh_bits: mach_msg_bits_t = 0
  public var msgh_size: mach_msg_size_t = 0
  public var msgh_remote_port: mach_port_t = 0
  public var msgh_local_port: mach_port_t = 0
  public var msgh_voucher_port: mach_port_name_t = 0
  public var msgh_id: mach_msg_id_t = 0
  public init() {}
}
@discardableResult public func mach_msg(
  _: UnsafeMutablePointer<mach_msg_header_t>!, _: Int32, _: mach_msg_size_t, _: mach_msg_size_t, _: mach_port_name_t,
  _: UInt32, _: mach_port_name_t
) -> kern_return_t { 0 }
public var MACH_TASK_BASIC_INFO: Int32 { 20 }
public struct mach_task_basic_info {
  public var virtual_size: UInt64 = 0
  public var resident_size: UInt64 = 0
  public var resident_size_max: UInt64 = 0
  public init() {}
}
@discardableResult public func task_info(
  _: mach_port_t, _: task_flavor_t, _: UnsafeMutablePointer<integer_t>!,
  _: UnsafeMutablePointer<mach_msg_type_number_t>!
) -> kern_return_t { 0 }

// MARK: <sys/socket.h>, <sys/stat.h>, <signal.h>

public var SOCK_STREAM: Int32 { 1 }
extension stat {
  public var st_atimespec: timespec { timespec() }
  public var st_mtimespec: timespec { timespec() }
  public var st_ctimespec: timespec { timespec() }
}
public struct __sigaction_u { public var __sa_handler: (@convention(c) (Int32) -> Void)! }
extension sigaction {
  public var __sigaction_u: __sigaction_u {
    get { fatalError() }
    set {}
  }
}
