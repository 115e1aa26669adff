import Platform

/// The possible numbers of blocks that a pool of Dispatch or of Swift runs at once. The number is that of the cores
/// that this process may use or, on some systems and versions, of the cores that are online (`taskset`, the processors
/// of a container).
public let poolWidths: ClosedRange<Int> = Host.cores...max(Host.cores, Host.onlineCores)
