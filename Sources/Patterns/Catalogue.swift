import Instruments

/// All patterns.
public enum Catalogue {
  /// The patterns in the order of their families. Each is in the file of the same name.
  public static let patterns: [any Pattern] = [
    SingletonRace(),
    GroupWaitVsNotify(),
    GroupNesting(),
    GroupAdapter(),
    LibraryLoad(),
    QueueOrder(),
    QueueSuspend(),
    QueueContext(),
    MainQueue(),
    QueuePriority(),
    QueueDeadlock(),
    TargetQueues(),
    CompletionBlock(),
    BlockCapture(),
    Autorelease(),
    ReadersWriter(),
    QueueVsLock(),
    BarrierScope(),
    TaskGranularity(),
    ThreadVsQueue(),
    QueuePoolPattern(),
    QueueWidth(),
    ThreadExplosion(),
    DispatchCompared(),
    ApplyStride(),
    FileDescriptorSemaphore(),
    SemaphoreCost(),
    TimerSource(),
    SignalSource(),
    DescriptorRead(),
    DescriptorWrite(),
    FileMonitorPattern(),
    ProcessMonitorPattern(),
    CustomSource(),
    SourceLifecycle(),
    MachPortPattern(),
    PoolStarvation(),
    LimitConcurrency(),
    ActorReentrancy(),
    WorkItem(),
    HopCost(),
    StreamVsSource(),
    Cancellation(),
    Continuations(),
  ]

  /// The scenarios and the patterns' own sources, as they were compiled.
  public static let files = Shelf.files
}
