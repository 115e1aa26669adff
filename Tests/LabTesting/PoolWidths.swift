import Platform

/// The number of blocks that a pool of Dispatch, or Swift's own, may run at once. It is the number of cores that this
/// process may use, or, on some systems and versions, of those that are online (`taskset`, the processors of a
/// container).
public let poolWidths: ClosedRange<Int> = Host.cores...max(Host.cores, Host.onlineCores)
