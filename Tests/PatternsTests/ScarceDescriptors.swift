import Dispatch
import Instruments
import LabTesting
import Platform
import Testing

/// Lowers the limit on open descriptors of an exit test's process so that exactly one more descriptor can be opened.
///
/// Two kinds of threads could use that descriptor, or return one. Dispatch opens the descriptor of its timers on a
/// thread of its own, some time after the process has begun; a timer that has fired shows that this descriptor is open.
/// Dispatch also opens the state of each worker thread for a moment, once a second; it does not while all threads
/// sleep.
func leaveOneDescriptorFree() throws {
  closeInheritedDescriptors()
  let fired = DispatchSemaphore(value: 0)
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler { fired.signal() }
  timer.schedule(deadline: .now())
  timer.activate()
  fired.wait()
  timer.cancel()
  try Standstill().wait()
  let scarce = try #require((1...1024).first { DescriptorLimit.free(below: $0) == 1 })
  try DescriptorLimit.setSoft(scarce)
}
