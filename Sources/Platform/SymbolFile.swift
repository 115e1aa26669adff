import CDispatchSupport

/// The functions of an executable file, by their addresses in the file.
public struct SymbolFile: Sendable {
  private var symbols: [(address: UInt64, size: UInt64, name: String)] = []

  /// Reads the symbol table of a file, or its dynamic symbol table if the file has no other table. The result has no
  /// functions if the file cannot be read or has no symbol table.
  public init(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 64,
      let memory = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
    else { return }
    defer { munmap(memory, Int(status.st_size)) }
    read(UnsafeRawBufferPointer(start: memory, count: Int(status.st_size)))
    symbols.sort { $0.address < $1.address }
  }

  private mutating func read(_ bytes: UnsafeRawBufferPointer) {
    func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Int? {
      guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
      return Int(exactly: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
    guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let first = number(40, UInt64.self),
      let size = number(58, UInt16.self), let count = number(60, UInt16.self), first < bytes.count
    else { return }
    func sections(_ type: Int) -> [Int] {
      (0..<count).map { first + $0 * size }.filter { number($0 + 4, UInt32.self) == type }
    }
    // The table is SHT_SYMTAB if the file has one, and SHT_DYNSYM otherwise.
    guard let table = sections(2).first ?? sections(11).first, let offset = number(table + 24, UInt64.self),
      let length = number(table + 32, UInt64.self), let link = number(table + 40, UInt32.self),
      let names = number(first + link * size + 24, UInt64.self), length < bytes.count
    else { return }
    for entry in stride(from: offset, to: offset + length, by: 24) {
      guard let info = number(entry + 4, UInt8.self), info & 15 == 2, let address = number(entry + 8, UInt64.self),
        let size = number(entry + 16, UInt64.self), let name = number(entry, UInt32.self), address > 0,
        names + name < bytes.count
      else { continue }
      let text = bytes[(names + name)...].prefix { $0 != 0 }
      symbols.append((UInt64(address), UInt64(size), String(decoding: text, as: UTF8.self)))
    }
  }

  /// Returns the name of the function at an address, as in the source code; nil if no function is known at the address.
  public func name(at address: UInt64) -> String? { symbol(at: address).map(Self.readable) }

  /// Returns whether the function at an address is part of a copy of Dispatch in the file; false if no function is
  /// known at the address.
  public func isOfDispatch(_ address: UInt64) -> Bool { symbol(at: address).map(Self.isOfDispatch) ?? false }

  /// Returns whether a symbol belongs to Dispatch. An extension of a type belongs to the module that contains the
  /// extension.
  static func isOfDispatch(_ symbol: String) -> Bool {
    if symbol.hasPrefix("_dispatch_") || symbol.contains("8DispatchE") { return true }
    return symbol.hasPrefix("$s8Dispatch") && !demangled(symbol).contains(extensionMark)
  }

  private static let extensionMark = "(extension in "

  private func symbol(at address: UInt64) -> String? {
    var (low, high) = (0, symbols.count)
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0, address < symbols[low - 1].address + max(1, symbols[low - 1].size) else { return nil }
    return symbols[low - 1].name
  }

  /// Returns the name of a symbol as in the source code, such as `Store.save(item:)` or `closure #1 in main`; the
  /// symbol itself if it cannot be demangled.
  static func readable(_ symbol: String) -> String {
    if symbol.hasPrefix("_Z"), let text = gcdlab_demangle_cxx(symbol) {
      defer { free(text) }
      // The name ends before the types of the parameters.
      return String(String(cString: text).replacing("(anonymous namespace)::", with: "").prefix { $0 != "(" })
    }
    guard symbol.hasPrefix("$s") || symbol.hasPrefix("$S") else { return symbol }
    return short(demangled(symbol))
  }

  /// Returns the full demangled name of a Swift symbol; the symbol itself if it cannot be demangled.
  private static func demangled(_ symbol: String) -> String {
    guard let text = swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
    defer { free(text) }
    return String(cString: text)
  }

  /// Returns a function's name without its result, its attributes, its module and the types of its parameters.
  private static func short(_ name: String) -> String {
    // The symbol is a part of an asynchronous function.
    if name.hasPrefix("("), let end = name.firstRange(of: " resume partial function for ")?.upperBound {
      return short(String(name[end...]))
    }
    if name.hasPrefix(extensionMark), let end = name.firstRange(of: "):")?.upperBound {
      return short(String(name[end...]))
    }
    for prefix in ["closure #", "implicit closure #"] where name.hasPrefix(prefix) {
      let number = name.dropFirst(prefix.count).prefix { $0.isNumber }
      return "closure #\(number) in \(short(outer(of: name)))"
    }
    // The optimiser merges functions with equal code. The merged function has the name of one of them.
    if name.hasPrefix("merged ") { return "\(short(String(name.dropFirst("merged ".count)))) or an equal function" }
    for prefix in ["partial apply forwarder for ", "specialized "] where name.hasPrefix(prefix) {
      return short(String(name.dropFirst(prefix.count)))
    }
    if name.contains(" specialization "), let end = name.firstRange(of: "> of ")?.upperBound {
      return short(String(name[end...]))
    }
    var depth = 0
    var end = name.endIndex
    for index in name.indices {
      if "(<[".contains(name[index]) { depth += 1 }
      if ")]".contains(name[index])
        || name[index] == ">" && (index == name.startIndex || name[name.index(before: index)] != "-")
      {
        depth -= 1
      }
      if depth == 0,
        name[index...].hasPrefix(" -> ") || name[index...].hasPrefix(" throws") || name[index...].hasPrefix(" async")
      {
        end = index
        break
      }
    }
    let whole = name[..<end]
    // The name of the module, which precedes the first dot, is omitted.
    let plain = whole.prefix { $0 != "(" && $0 != "<" }
    let dot = plain.firstIndex(of: ".").map(whole.index(after:)) ?? whole.startIndex
    return withoutTypes(String(whole[dot...]))
  }

  /// Returns a function's name with the labels of its parameters, but without their types, such as `save(item:_:)`. A
  /// name without parameters is returned unchanged.
  private static func withoutTypes(_ name: String) -> String {
    guard let open = name.firstIndex(of: "("), name.last == ")" else { return name }
    var labels = ""
    var depth = 0
    var label = ""
    var isLabel = true
    func finish() { if !label.isEmpty { labels += isLabel ? "_:" : "\(label):" } }
    for character in name[name.index(after: open)...].dropLast() {
      if "([<".contains(character) { depth += 1 }
      if ")]>".contains(character) { depth -= 1 }
      if depth == 0, character == "," {
        finish()
        (label, isLabel) = ("", true)
      } else if depth == 0, character == ":", isLabel {
        isLabel = false
      } else if isLabel, character != " " {
        label.append(character)
      }
    }
    finish()
    return "\(name[..<open])(\(labels))"
  }

  private static func outer(of closure: String) -> String {
    var depth = 0
    for index in closure.indices {
      if "([".contains(closure[index]) { depth += 1 }
      if ")]".contains(closure[index]) { depth -= 1 }
      if depth == 0, closure[index...].hasPrefix(" in ") {
        return String(closure[closure.index(index, offsetBy: 4)...])
      }
    }
    return closure
  }
}
