import Instruments

/// The singletons in a row, as one actor sees them.
///
/// Unchecked: for the same reason as ``SharedManager``.
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

  /// Calls the body with each singleton of a row, and notes the instance that it returns.
  @inline(__always)
  func each(_ sharedManager: (SharedManager) -> PhotoManager?) {
    var (singleton, note) = (singletons, notes)
    timedLoop(count) { _ in
      note.pointee.got = sharedManager(SharedManager(singleton, note))
      singleton += step
      note += step
    }
  }

  /// Asks for each singleton in turn, awaits it, and notes the instance that it gets.
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
