/// The source locations of instruction addresses in an executable file.
public struct SourceLines: Sendable {
  private let places: [UInt64: String]

  /// The maximum number of addresses in one lookup, limited by the length of a command line.
  private static let batch = 4000

  /// Looks up addresses in the file's debugging information with LLVM's `llvm-symbolizer`. The result is empty if
  /// `llvm-symbolizer` is not installed, or if the file has no debugging information. The lookup uses at most 20 s of
  /// processor time for each 4000 addresses.
  public init(of path: String, _ addresses: Set<UInt64>) {
    var places: [UInt64: String] = [:]
    let sorted = addresses.sorted()
    for start in stride(from: 0, to: sorted.count, by: Self.batch) {
      let batch = sorted[start..<min(start + Self.batch, sorted.count)]
      for (address, place) in zip(batch, Self.lookUp(batch, in: path)) { places[address] = Self.readable(place) }
    }
    self.places = places
  }

  /// Returns the file and the line of an address, such as `main.swift:12`; nil if the location is not known.
  public func place(of address: UInt64) -> String? { places[address] }

  /// Returns the location of each address as `llvm-symbolizer` writes it; an empty array if `llvm-symbolizer` fails or
  /// omits a location.
  private static func lookUp(_ addresses: ArraySlice<UInt64>, in path: String) -> [String] {
    let numbers = addresses.map { "0x" + String($0, radix: 16) }.joined(separator: " ")
    let file = path.replacing("'", with: "'\\''")
    let command =
      "exec 2>/dev/null; ulimit -t 20; exec llvm-symbolizer --functions=none --no-inlines --obj='\(file)' \(numbers)"
    guard let output = popen(command, "r") else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, output), count > 0 { text += buffer[..<count] }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    return pclose(output) == 0 && lines.count == addresses.count ? lines : []
  }

  /// Returns a location as file name and line: `main.swift:12` for `/home/me/main.swift:12:3`; nil if the location is
  /// not known, or if the compiler generated the code.
  private static func readable(_ place: String) -> String? {
    let parts = place.split(separator: ":")
    guard parts.count >= 3, let line = Int(parts[parts.count - 2]), line > 0,
      let file = parts.dropLast(2).joined(separator: ":").split(separator: "/").last, file != "<compiler-generated>"
    else { return nil }
    return "\(file):\(line)"
  }
}
