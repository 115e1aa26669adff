import CDispatchSupport

extension Host {
  /// The heap memory that this process has allocated and not freed, in bytes; nil if the system does not report it. The
  /// figure can include freed memory that threads cache for reuse, which is some kilobytes for each thread.
  public static var heapInUse: Int? {
    let bytes = gcdlab_heap_in_use()
    return bytes < 0 ? nil : Int(bytes)
  }
}
