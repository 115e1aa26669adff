import Platform

/// How many blocks a pool of Dispatch, or Swift's own, may run at once: as many as there are cores that this process may
/// use, or, by system and version, that are online (`taskset`, the processors of a container).
public let poolWidths: ClosedRange<Int> = Host.cores...max(Host.cores, Host.onlineCores)
