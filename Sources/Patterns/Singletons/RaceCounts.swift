/// The results of races. They are plain counts, since recording each race in a histogram would take as long as a
/// creation.
struct RaceCounts: Sendable {
  /// The number of races that ended with 0, 1, 2, … instances.
  private(set) var ended: [Int]
  /// The number of actors that got no instance, or another one than the first actor.
  private(set) var mismatches = 0
  private var regular = 0

  /// Creates the counts of no races, for races of this many actors.
  init(actors: Int) { ended = Array(repeating: 0, count: actors + 1) }

  /// The number of races.
  var races: Int { ended.reduce(0, +) }
  /// The number of instances beyond the first of each race.
  var duplicates: Int { ended.enumerated().reduce(0) { $0 + max(0, $1.offset - 1) * $1.element } }
  /// The number of races without exactly one instance, or with an actor that did not get that instance.
  var irregular: Int { races - regular }

  /// Adds the race for one singleton.
  ///
  /// - Parameters:
  ///   - notes: the note of the first actor.
  ///   - step: the distance from an actor's note to the note of the next actor.
  mutating func add(_ notes: UnsafePointer<Note>, actors: Int, step: Int) {
    var (instances, strays) = (0, 0)
    var only: PhotoManager?
    for actor in 0..<actors {
      let note = notes[actor &* step]
      if let created = note.created {
        instances &+= 1
        only = created
      }
      if note.got == nil || note.got != notes.pointee.got { strays &+= 1 }
    }
    ended[instances] &+= 1
    mismatches &+= strays
    if instances == 1, strays == 0, notes.pointee.got == only { regular &+= 1 }
  }

  /// Adds the races of other counts.
  mutating func merge(_ other: RaceCounts) {
    for (instances, races) in other.ended.enumerated() { ended[instances] += races }
    mismatches += other.mismatches
    regular += other.regular
  }
}
