import Laboratory

/// Blocks the calling thread for a duration. Returns immediately if the duration is not positive.
@available(*, noasync, message: "await Task.sleep instead")
public func blockThread(for duration: Duration) {
  let nanoseconds = Int(duration.nanoseconds)
  guard nanoseconds > 0 else { return }
  var left = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  var rest = timespec()
  while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
}
