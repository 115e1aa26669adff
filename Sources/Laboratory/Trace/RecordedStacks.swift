import Platform

/// The stacks of a record as addresses, and the files of the program that contain these addresses.
struct RecordedStacks {
  /// The files, each with its base address. The addresses in a file are relative to the base address.
  private(set) var modules: [(base: UInt64, path: String)] = []
  /// The addresses of each stack, beginning with the innermost call, by the number of the stack.
  private(set) var calls: [Int: [UInt64]] = [:]
  /// The number of the stack that each thread is writing, and the number of the remaining addresses.
  private var open: [Int: (site: Int, left: Int)] = [:]

  mutating func add(module path: String, at base: UInt64) { modules.append((base, path)) }

  /// Reads an event that contains the number of a stack, or one or two addresses of a stack.
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
