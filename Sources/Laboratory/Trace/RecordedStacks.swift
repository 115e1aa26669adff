import Platform

/// The stacks of a record, as addresses, and the files of the program that the addresses belong to.
struct RecordedStacks {
  /// The files, each with the address that its own addresses are relative to.
  private(set) var modules: [(base: UInt64, path: String)] = []
  /// The addresses of each stack, the innermost first, by the stack's number.
  private(set) var calls: [Int: [UInt64]] = [:]
  /// The stack that each thread writes, and the number of the addresses that follow.
  private var open: [Int: (site: Int, left: Int)] = [:]

  mutating func add(module path: String, at base: UInt64) { modules.append((base, path)) }

  /// Reads the number of a stack, or two of its calls.
  mutating func read(_ event: RecordedEvent) {
    if event.kind == .site {
      calls[Int(event.a)] = []
      open[event.thread] = (Int(event.a), event.count)
    } else if let (site, left) = open[event.thread], left > 0 {
      calls[site]?.append(event.a)
      if left > 1 { calls[site]?.append(event.b) }
      open[event.thread] = (site, left - 2)
    }
  }
}
