import Platform

/// The symbolicated call stacks of a record. A frame is the name of a function, with the file and the line of the call
/// in the function if the line is known. If no function of a stack has a name, its frames are files with offsets.
struct CallStacks {
  /// The stacks. Each stack contains its frames as texts, beginning with the innermost function.
  private(set) var found: [[String]] = []
  private var indexOf: [Int: Int] = [:]

  /// The system libraries that call functions on behalf of a program. The functions of these libraries are not relevant
  /// to the program's author.
  private static let systemLibraries = [
    "libdispatch.", "libswift", "libFoundation", "lib_Foundation", "lib_Internal", "libBlocksRuntime", "libc.so",
    "libc-",
    "libpthread", "ld-linux", "libgcc_s", "libstdc++", "libm.so",
  ]

  /// Creates the stacks of a record, with the names of their functions.
  init(_ recorded: RecordedStacks) {
    let modules = recorded.modules.sorted { $0.base < $1.base }
    // A recorded address is the address of the instruction after the call, so the preceding address belongs to the
    // call.
    let stacks = recorded.calls.sorted { $0.key < $1.key }.map { site, calls in
      (
        site: site,
        calls: calls.compactMap { call in
          modules.last { $0.base <= call }.map { Call(path: $0.path, offset: call - $0.base - 1) }
        }.filter { !$0.isOfSystem }
      )
    }
    let calls = Dictionary(grouping: stacks.flatMap(\.calls), by: \.path).mapValues { Set($0.map(\.offset)) }
    let symbols = calls.keys.reduce(into: [String: SymbolFile]()) { $0[$1] = SymbolFile($1) }
    let lines = calls.reduce(into: [String: SourceLines]()) { $0[$1.key] = SourceLines(of: $1.key, $1.value) }
    for (site, calls) in stacks {
      let frames = calls.compactMap { call -> Frame? in
        guard symbols[call.path]?.isOfDispatch(call.offset) != true else { return nil }
        let name = symbols[call.path]?.name(at: call.offset)
        if let name, Self.isWrapper(name) { return nil }
        return Frame(
          name: name ?? "\(call.file)+0x\(String(call.offset, radix: 16))", hasName: name != nil,
          place: lines[call.path]?.place(of: call.offset))
      }
      // A function without a name is shown only if no function of the stack has a name.
      let named = frames.filter(\.hasName)
      indexOf[site] = found.count
      found.append(Self.withoutRepetitions(named.isEmpty ? frames : named))
    }
  }

  /// A call in a stack: the file that contains the call, and the offset of the call in the file.
  private struct Call {
    let path: String
    let offset: UInt64

    /// The name of the file.
    var file: String { path.split(separator: "/").last.map(String.init) ?? path }
    /// Whether the call is in a system library.
    var isOfSystem: Bool { CallStacks.systemLibraries.contains(where: file.hasPrefix) }
  }

  /// A function in a stack.
  private struct Frame {
    let name: String
    let hasName: Bool
    /// The file and the line of the call in the function; nil if this place is unknown.
    let place: String?
  }

  /// The index in ``found`` of the stack with the number `site` in the record; nil if the stack is unknown.
  subscript(_ site: Int?) -> Int? { site.flatMap { indexOf[$0] } }

  /// Returns the texts of frames, without frames that repeat the name of the previous frame. Such frames occur since
  /// the compiler wraps closures in forwarding functions with the same name and no place.
  private static func withoutRepetitions(_ frames: [Frame]) -> [String] {
    frames.indices.filter { $0 == 0 || frames[$0].name != frames[$0 - 1].name }.map { first in
      let same = frames[first...].prefix { $0.name == frames[first].name }
      return same.lazy.compactMap(\.place).first.map { "\(frames[first].name) (\($0))" } ?? frames[first].name
    }
  }

  /// Returns whether a function is a wrapper that the compiler generates, or a function of the C library that starts a
  /// program or a thread.
  private static func isWrapper(_ name: String) -> Bool {
    ["reabstraction thunk", "thunk for", "_start", "__libc_start", "start_thread", "__clone", "clone3"].contains {
      name.hasPrefix($0)
    }
  }
}
