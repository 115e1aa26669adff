import Platform

/// The stacks of a record, with the names of functions in place of addresses.
struct CallStacks {
  /// The stacks, each with its functions, the innermost first.
  private(set) var found: [[String]] = []
  private var indexOf: [Int: Int] = [:]

  /// Libraries that make calls for a program. Its author does not look for them.
  private static let systemLibraries = [
    "libdispatch.", "libswift", "libFoundation", "lib_Foundation", "lib_Internal", "libBlocksRuntime", "libc.so",
    "libc-",
    "libpthread", "ld-linux", "libgcc_s", "libstdc++", "libm.so",
  ]

  /// Creates an empty list of stacks.
  init() {}

  /// Names the stacks of a record.
  init(_ events: [RecordedEvent]) {
    var modules: [(base: UInt64, path: String)] = []
    var addresses: [Int: [UInt64]] = [:]
    // The parts of a text and of a stack follow on the same thread.
    var open: [Int: (event: RecordedEvent, left: Int, bytes: [UInt8])] = [:]
    for event in events {
      switch event.kind {
      case .module, .queue, .image:
        open[event.thread] = event.count > 0 ? (event, event.count, []) : nil
      case .text:
        guard var part = open[event.thread] else { break }
        part.bytes += TraceReader.bytes(event)
        part.left -= 1
        open[event.thread] = part.left > 0 ? part : nil
        if part.left == 0, part.event.kind == .module {
          modules.append((part.event.a, String(decoding: part.bytes.filter { $0 != 0 }, as: UTF8.self)))
        }
      case .site:
        open[event.thread] = nil
        addresses[Int(event.a)] = []
        sites[event.thread] = (Int(event.a), event.count)
      case .calls:
        guard let (site, left) = sites[event.thread], left > 0 else { break }
        addresses[site]?.append(event.a)
        if left > 1 { addresses[site]?.append(event.b) }
        sites[event.thread] = (site, left - 2)
      default: break
      }
    }
    modules.sort { $0.base < $1.base }
    var files: [String: SymbolFile] = [:]
    for (site, calls) in addresses.sorted(by: { $0.key < $1.key }) {
      let names = calls.compactMap { call -> String? in
        guard let module = modules.last(where: { $0.base <= call }) else { return nil }
        let file = module.path.split(separator: "/").last.map(String.init) ?? module.path
        guard !Self.systemLibraries.contains(where: file.hasPrefix) else { return nil }
        if files[module.path] == nil { files[module.path] = SymbolFile(module.path) }
        // The address is that of the instruction after the call.
        let offset = call - module.base - 1
        guard files[module.path]?.isOfDispatch(offset) != true else { return nil }
        let name = files[module.path]?.name(at: offset) ?? "\(file)+0x\(String(offset, radix: 16))"
        return Self.isGlue(name) ? nil : name
      }
      // A function without a name is shown only if there is no other.
      let named = names.filter { !$0.contains("+0x") }
      indexOf[site] = found.count
      found.append(Self.withoutRepetitions(named.isEmpty ? names : named))
    }
  }

  private var sites: [Int: (site: Int, left: Int)] = [:]

  /// Returns the index of the stack with a number in the record; nil if there is none.
  subscript(_ site: Int) -> Int? { site == 0 ? nil : indexOf[site] }

  /// Returns names without those that repeat the one before: the compiler puts forwarders around a closure, which have
  /// its name.
  private static func withoutRepetitions(_ names: [String]) -> [String] {
    names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
  }

  /// Returns whether a function is one that the compiler and the C library put around others.
  private static func isGlue(_ name: String) -> Bool {
    ["reabstraction thunk", "thunk for", "_start", "__libc_start", "start_thread", "__clone", "clone3"].contains {
      name.hasPrefix($0)
    }
  }
}
