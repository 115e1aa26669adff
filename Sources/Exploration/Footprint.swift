/// The shared objects that a step may change or read.
///
/// Two steps of different threads commute unless one may change an object that the other may use. Two increments of a
/// counter also commute, as do two decrements. Each object is mapped to one of 64 bits. If two objects share a bit,
/// independent steps can appear dependent, which costs time but hides no defect.
struct Footprint {
  private var reads: UInt64 = 0
  private var writes: UInt64 = 0
  /// The counters that the step increments, as a set of bits.
  private var increments: UInt64 = 0
  private var decrements: UInt64 = 0

  /// The footprint of a step that affects only its own thread.
  static let nothing = Footprint()
  /// The footprint of a step that may change everything.
  static let everything = Footprint(writes: .max)

  static func reading(_ object: Int) -> Footprint { Footprint(reads: bits([object])) }
  static func changing(_ objects: Int...) -> Footprint { changing(objects) }
  static func changing(_ objects: [Int]) -> Footprint { Footprint(writes: bits(objects)) }
  static func incrementing(_ object: Int) -> Footprint { Footprint(increments: bits([object])) }
  static func decrementing(_ object: Int) -> Footprint { Footprint(decrements: bits([object])) }

  private static func bits(_ objects: [Int]) -> UInt64 { objects.reduce(0) { $0 | 1 << UInt64($1 & 63) } }

  /// Returns whether the order of two steps with these footprints has no effect.
  func commutes(with other: Footprint) -> Bool {
    writes & other.used == 0 && other.writes & used == 0 && increments & (other.decrements | other.reads) == 0
      && decrements & (other.increments | other.reads) == 0 && reads & (other.increments | other.decrements) == 0
  }

  private var used: UInt64 { reads | writes | increments | decrements }

  func union(_ other: Footprint) -> Footprint {
    Footprint(
      reads: reads | other.reads, writes: writes | other.writes, increments: increments | other.increments,
      decrements: decrements | other.decrements)
  }
}
