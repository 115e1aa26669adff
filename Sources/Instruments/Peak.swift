import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// The highest that a count of the system's was seen to be: threads, descriptors.
///
/// Two ways to look, which may be mixed. ``during(every:_:)`` samples from a thread of its own while a body runs: what
/// comes and goes between two samples is missed, so its peak is a lower bound. ``sample()`` looks at an instant that
/// the caller chooses, such as each task right after its `open`: what every riser looks at behind its own rise cannot
/// be missed. Either way no peak is reported that was not there.
public final class Peak: Sendable {
  private let count: @Sendable () -> Int?
  /// -1 while nothing was seen.
  private let highest = Atomic<Int>(-1)
  /// Threads of this process that are nothing but samplers.
  private static let samplers = Atomic<Int>(0)

  /// A peak of whatever `count` tells, from any thread; nil when it cannot tell.
  public init(of count: @escaping @Sendable () -> Int?) { self.count = count }

  /// All threads of this process, the samplers not counted. A sample costs less than a microsecond on Linux.
  public static func threads() -> Peak {
    Peak { ThreadCensus.count().map { $0 - samplers.load(ordering: .acquiring) } }
  }

  /// The threads of the dispatch pool, Swift's tasks' included; nil where the system does not tell which they are. A
  /// sample costs some 3 us a thread of the process, so with hundreds of threads they are few: a lower bound that is
  /// often looked at is ``threads()``, less those that there were before.
  public static func poolThreads() -> Peak { Peak { ThreadCensus.poolCount() } }

  /// The open descriptors of this process. A sample costs less than a microsecond on Linux 6.2 or later.
  public static func descriptors() -> Peak { Peak { OpenDescriptors.count() } }

  /// The highest count seen so far; nil when none was seen, because nobody looked or the system does not tell.
  public var value: Int? {
    let value = highest.load(ordering: .acquiring)
    return value < 0 ? nil : value
  }

  /// Looks now, from any thread; returns what is seen.
  @discardableResult public func sample() -> Int? {
    let now = count()
    if let now { highest.max(now, ordering: .acquiringAndReleasing) }
    return now
  }

  /// Runs `body` and samples meanwhile: just before it, just behind it, and from a thread of its own every `period`. A
  /// sample that is dear is taken less often, so that sampling takes a tenth of a core at most.
  ///
  /// - Throws: ``SystemError`` when there is no thread to sample from, or what `body` throws.
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
