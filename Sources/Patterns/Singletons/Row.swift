import Instruments

/// A row of singletons, together with the notes of one racer.
///
/// Conformance to `Sendable` is unchecked: each racer writes only its own notes, and the singletons are thread-safe.
struct Row: @unchecked Sendable {
  private let singletons: UnsafeMutablePointer<Singleton>
  private let notes: UnsafeMutablePointer<Note>
  private let count: Int
  private let step: Int

  init(
    _ singletons: UnsafeMutablePointer<Singleton>, _ notes: UnsafeMutablePointer<Note>, count: Int, step: Int = 1
  ) {
    self.singletons = singletons
    self.notes = notes
    self.count = count
    self.step = step
  }

  var first: SharedManager { SharedManager(singletons, notes) }
  var got: PhotoManager? { notes.pointee.got }

  /// Calls `sharedManager` with each singleton of the row, and records the returned instance in the racer's note on
  /// that singleton.
  @inline(__always)
  func each(_ sharedManager: (SharedManager) -> PhotoManager?) {
    var (singleton, note) = (singletons, notes)
    timedLoop(count) { _ in
      note.pointee.got = sharedManager(SharedManager(singleton, note))
      singleton += step
      note += step
    }
  }

  /// Calls the asynchronous closure `sharedManager` with each singleton of the row, one after the other, and records
  /// the returned instance in the racer's note on that singleton.
  @inline(__always)
  func each(isolation: isolated (any Actor)? = #isolation, _ sharedManager: (SharedManager) async -> PhotoManager?)
    async
  {
    var (singleton, note) = (singletons, notes)
    await timedLoop(count) { _ in
      note.pointee.got = await sharedManager(SharedManager(singleton, note))
      singleton += step
      note += step
    }
  }
}
