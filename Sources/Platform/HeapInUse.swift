import CDispatchSupport

extension Host {
  /// The bytes of the heap that this process has allocated and not freed; nil if the system does not report them. Freed
  /// memory that a thread caches for reuse can be included: some kilobytes for each thread.
  public static var heapInUse: Int? {
    let bytes = gcdlab_heap_in_use()
    return bytes < 0 ? nil : Int(bytes)
  }
}
