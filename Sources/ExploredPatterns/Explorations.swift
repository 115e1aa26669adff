import Exploration

/// All patterns that can be explored.
public enum Explorations {
  /// The patterns in the order of their families.
  public static let all: [ExploredPattern] = [
    SingletonRace.exploration, GroupNesting.exploration, GroupAdapter.exploration, LibraryLoad.exploration,
    QueueDeadlock.exploration, CompletionBlock.exploration,
    ReadersWriter.exploration, BarrierScope.exploration, BlockCapture.exploration, SourceLifecycle.exploration,
    ActorReentrancy.exploration, TaskOrder.exploration, Cancellation.exploration, PoolStarvation.exploration,
  ]
}
