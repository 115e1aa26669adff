/// The results of races, as plain counts. Recording each race in a histogram would take as long as creating an
/// instance.
struct RaceCounts: Sendable {
  /// The numbers of races that created 0, 1, 2, … instances. The index is the number of instances.
  private(set) var ended: [Int]
  /// The number of racers that received no instance, or an instance other than that of the first racer in the race.
  private(set) var mismatches = 0
  private var regular = 0

  /// Creates counts of zero for races of `racers` racers.
  init(racers: Int) { ended = Array(repeating: 0, count: racers + 1) }

  var races: Int { ended.reduce(0, +) }
  /// The number of instances that were created in addition to the first instance of each race.
  var duplicates: Int { ended.enumerated().reduce(0) { $0 + max(0, $1.offset - 1) * $1.element } }
  /// The number of races that did not create exactly one instance, or in which a racer did not receive that instance.
  var irregular: Int { races - regular }

  /// Adds the result of one race.
  ///
  /// - Parameters:
  ///   - notes: a pointer to the first racer's note on the singleton.
  ///   - step: the distance in memory from a racer's note to the next racer's note, in notes.
  mutating func add(_ notes: UnsafePointer<Note>, racers: Int, step: Int) {
    var (instances, different) = (0, 0)
    var only: PhotoManager?
    for racer in 0..<racers {
      let note = notes[racer &* step]
      if let created = note.created {
        instances &+= 1
        only = created
      }
      if note.got == nil || note.got != notes.pointee.got { different &+= 1 }
    }
    ended[instances] &+= 1
    mismatches &+= different
    if instances == 1, different == 0, notes.pointee.got == only { regular &+= 1 }
  }

  /// Adds the counts of `other` to these counts.
  mutating func merge(_ other: RaceCounts) {
    for (instances, races) in other.ended.enumerated() { ended[instances] += races }
    mismatches += other.mismatches
    regular += other.regular
  }
}
