import Measurement

/// A generator of bad inputs from good inputs. The same seed and index produce the same input.
struct Mutator {
  let corpus: [[UInt8]]
  let seed: UInt64

  /// Texts that are difficult for parsers: brackets of every kind, numbers at the ends of their ranges, bytes that are
  /// not UTF-8.
  private static let morsels: [[UInt8]] =
    [
      "[", "]", "{", "}", ":", ",", "\"", "'", "\n", "  ", "- ", "&a ", "*a ", "<<: ", "? ", "|\n", "!!binary ", "%",
      "#", "\\u0000",
      "\\ud800", "0", "-1", "1e308", "1e999", "9223372036854775807", "9223372036854775808", "18446744073709551615",
      "nan", "inf",
      "null", "true", "0x10", "1_000", "..", ":x2", ":+1", "==", "<", "*", ".", "all", "any", "cores", "p99.9", "ns",
      "KiB", "%", "\t",
      "\u{feff}", "\u{202e}", "e\u{301}", "🏳️‍🌈", "٣",
    ].map { Array($0.utf8) } + [[0], [0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]

  /// Returns the input at `index`. The first inputs are the unchanged inputs of the corpus.
  func input(_ index: Int) -> [UInt8] {
    if index < corpus.count { return corpus[index] }
    var start = SplitMix64(seed: seed)
    var random = SplitMix64(seed: start.next() &+ UInt64(index))
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0...Int.random(in: 0...4, using: &random) { mutate(&bytes, &random) }
    return Array(bytes.prefix(1 << 16))
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 0...max(1, min(64, bytes.count / 4)), using: &random))
    let morsel = Self.morsels.randomElement(using: &random) ?? []
    switch Int.random(in: 0..<9, using: &random) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 1: bytes.removeSubrange(place..<end)
    case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 3: bytes.insert(contentsOf: morsel, at: place)
    case 4: bytes.replaceSubrange(place..<end, with: morsel)
    case 5:
      let times = 1 << Int.random(in: 0...10, using: &random)
      bytes.insert(contentsOf: repeatElement(morsel, count: times).joined(), at: place)
    case 6: bytes.removeSubrange(place...)
    case 7:
      let other = corpus.randomElement(using: &random) ?? []
      let start = Int.random(in: 0...other.count, using: &random)
      bytes.replaceSubrange(place..<end, with: other[start..<min(other.count, start + 64)])
    default:
      // A number is replaced by another number.
      guard let digit = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) }) else { return }
      let rest = bytes[digit...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
      let numbers = ["0", "1", "-1", "7", "99999999999999999999", "9223372036854775807", "1e308", "0.5", "4097"]
      bytes.replaceSubrange(digit..<rest, with: Array((numbers.randomElement(using: &random) ?? "0").utf8))
    }
  }
}
