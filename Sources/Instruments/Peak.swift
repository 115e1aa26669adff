import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// The highest observed value of a count that the system maintains, such as the number of threads or of open
/// descriptors.
///
/// The count can be observed in two ways, which can be combined. ``during(every:_:)`` samples on a separate thread
/// while a closure is executed. This method misses a peak between two samples, so the result is a lower bound.
/// ``sample()`` samples at an instant that the caller chooses, for instance after each `open` of a task. A peak cannot
/// be missed if the code that causes the peak samples right afterwards. The result is never higher than the true peak.
public final class Peak: Sendable {
  private let count: @Sendable () -> Int?
  /// The highest observed count; -1 if no count was observed.
  private let highest = Atomic<Int>(-1)
  /// The number of sampling threads of this process.
  private static let samplers = Atomic<Int>(0)

  /// Creates a peak of the count that `count` returns. The closure may be called on any thread, and returns nil if the
  /// count is not available.
  public init(of count: @escaping @Sendable () -> Int?) { self.count = count }

  /// Returns a peak of the threads of this process, without the sampling threads. On Linux, a sample after the first
  /// sample usually takes less than a microsecond.
  public static func threads() -> Peak {
    Peak { ThreadCensus.count().map { $0 - samplers.load(ordering: .acquiring) } }
  }

  /// Returns a peak of the open descriptors of this process. A sample takes less than a microsecond on Linux 6.2 or
  /// later.
  public static func descriptors() -> Peak { Peak { OpenDescriptors.count() } }

  /// The highest observed count; nil if no sample was taken, or if the system does not report the count.
  public var value: Int? {
    let value = highest.load(ordering: .acquiring)
    return value < 0 ? nil : value
  }

  /// Takes a sample, and returns the count; nil if the system does not report the count. This method can be called on
  /// any thread.
  @discardableResult public func sample() -> Int? {
    let now = count()
    if let now { highest.max(now, ordering: .acquiringAndReleasing) }
    return now
  }

  /// Executes `body`, and takes samples: one before `body`, one after `body`, and one every `period` on a separate
  /// thread. The pause after an expensive sample is longer. Sampling therefore uses at most a tenth of a core.
  ///
  /// - Throws: ``SystemError`` if no thread can be started for the samples, or the error that `body` throws.
  public func during<Result>(every period: Duration = .milliseconds(1), _ body: () throws -> Result) throws -> Result {
    let pause = Int(clamping: period.nanoseconds)
    let hasEnded = DispatchSemaphore(value: 0)
    Self.samplers.add(1, ordering: .acquiringAndReleasing)
    defer { Self.samplers.subtract(1, ordering: .acquiringAndReleasing) }
    let sampler = try SystemThread {
      repeat {
        let cost = Int(clamping: MonotonicClock.time { self.sample() })
        let next = DispatchTime.now() + .nanoseconds(max(pause, 9 * cost))
        if hasEnded.wait(timeout: next) == .success { return }
      } while true
    }
    defer {
      hasEnded.signal()
      sampler.join()
    }
    sample()
    defer { sample() }
    return try body()
  }
}
