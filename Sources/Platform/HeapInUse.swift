import CDispatchSupport

extension Host {
  /// The heap memory that this process has allocated and not freed, in bytes; nil if the system does not report this
  /// memory. For each thread, the figure can include some kilobytes of freed memory that the thread caches for reuse.
  public static var heapInUse: Int? {
    let bytes = gcdlab_heap_in_use()
    return bytes < 0 ? nil : Int(bytes)
  }
}
