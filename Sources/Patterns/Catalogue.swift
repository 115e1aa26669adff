import Instruments

/// Every pattern there is.
public enum Catalogue {
  /// One line each, in the order of their families; see the file of the same name.
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
    CompletionBlock(),
    QueuePriority(),
    QueueDeadlock(),
    TaskGranularity(),
    ThreadVsQueue(),
    BlockCapture(),
    ReadersWriter(),
    QueuePoolPattern(),
    QueueWidth(),
    QueueVsLock(),
    ThreadExplosion(),
    BarrierScope(),
    TargetQueues(),
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
    Autorelease(),
    PoolStarvation(),
    LimitConcurrency(),
    ActorReentrancy(),
    WorkItem(),
    HopCost(),
    StreamVsSource(),
  ]

  /// The scenarios and the patterns' own sources, as they were compiled.
  public static let files = Shelf.files
}
