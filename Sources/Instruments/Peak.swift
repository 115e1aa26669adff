import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// The highest observed value of a count that the system keeps: threads, descriptors.
///
/// There are two ways to observe, which may be combined. ``during(every:_:)`` samples on a thread of its own while a
/// body runs. It misses what rises and falls between two samples, so its peak is a lower bound. ``sample()`` samples at
/// an instant that the caller chooses, for instance after each `open` of a task. A rise cannot be missed if the code
/// that causes it samples right afterwards. In neither way can the peak be higher than the count ever was.
public final class Peak: Sendable {
  private let count: @Sendable () -> Int?
  /// The highest count; -1 until a count was observed.
  private let highest = Atomic<Int>(-1)
  /// The number of threads of this process that only sample.
  private static let samplers = Atomic<Int>(0)

  /// Creates a peak of the count that `count` returns, on any thread; nil if it cannot be determined.
  public init(of count: @escaping @Sendable () -> Int?) { self.count = count }

  /// Returns a peak of all threads of this process except the sampling ones. A sample costs less than a microsecond on
  /// Linux.
  public static func threads() -> Peak {
    Peak { ThreadCensus.count().map { $0 - samplers.load(ordering: .acquiring) } }
  }

  /// Returns a peak of the open descriptors of this process. A sample costs less than a microsecond on Linux 6.2 or
  /// later.
  public static func descriptors() -> Peak { Peak { OpenDescriptors.count() } }

  /// The highest count so far; nil if no count was observed, because no sample was taken or the system does not report
  /// the count.
  public var value: Int? {
    let value = highest.load(ordering: .acquiring)
    return value < 0 ? nil : value
  }

  /// Samples once, on any thread, and returns the count.
  @discardableResult public func sample() -> Int? {
    let now = count()
    if let now { highest.max(now, ordering: .acquiringAndReleasing) }
    return now
  }

  /// Runs `body` and samples meanwhile: just before it, just after it, and on a thread of its own every `period`.
  /// Expensive samples are taken less often, so that sampling uses at most a tenth of a core.
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
