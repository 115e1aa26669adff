import Exploration
import Instruments

/// A reference to an instance of the singleton for which threads race. The reference is valid until the end of its
/// race.
struct PhotoManager: Equatable, @unchecked Sendable {
  fileprivate let instance: Unmanaged<Instance>

  /// Completes the set-up of the manager by creating the photo array.
  func makePhotosArray() { instance._withUnsafeGuaranteedRef { $0.photosArray.value = true } }

  /// Whether the photo array has been created.
  var hasPhotosArray: Bool { instance._withUnsafeGuaranteedRef { $0.photosArray.value } }

  static func == (left: PhotoManager, right: PhotoManager) -> Bool {
    left.instance.toOpaque() == right.instance.toOpaque()
  }

  /// Returns nil, since the singleton of a process is not explored.
  static func create() -> PhotoManager? { nil }
}

/// An instance of the singleton for which threads race.
private final class Instance: @unchecked Sendable {
  /// The position of the instance in the order in which instances were stored, from 1; nil before the instance is
  /// stored.
  var number: Int?
  let photosArray = Variable("its array", false) { $0 ? "set" : "missing" }
}

/// A singleton for which threads race.
private final class Singleton: @unchecked Sendable {
  let manager = Variable<PhotoManager?>("manager", nil) {
    $0.map { "instance \($0.instance.takeUnretainedValue().number ?? 0)" } ?? "nil"
  }
  let predicate = ModelOnce()
  var instances: [Instance] = []
  var got: [PhotoManager?]
  let judgesInstances: Bool

  init(threads: Int, judgesInstances: Bool) {
    got = Array(repeating: nil, count: threads)
    self.judgesInstances = judgesInstances
  }

  func create() -> PhotoManager {
    let instance = Instance()
    instances.append(instance)
    return PhotoManager(instance: .passUnretained(instance))
  }

  func set(_ new: PhotoManager?) {
    manager.set(new) {
      guard let instance = new?.instance.takeUnretainedValue(), instance.number == nil else { return nil }
      let number = 1 + instances.count { $0.number != nil }
      instance.number = number
      if judgesInstances, number > 1 { Execution.breaks("two instances") }
      return "creates instance \(number), stores it"
    }
  }

  func judge() {
    guard judgesInstances else { return }
    if instances.count != 1 { Execution.breaks("\(instances.count) instances") }
    if got.contains(where: { $0 == nil || $0 != got[0] }) { Execution.breaks("a thread got another instance") }
  }
}

/// The static variable that holds the singleton, as one thread accesses the variable.
struct SharedManager: @unchecked Sendable {
  private let singleton: Unmanaged<Singleton>
  fileprivate init(_ singleton: Singleton) { self.singleton = .passUnretained(singleton) }

  /// The shared instance; nil if no instance has been stored.
  var manager: PhotoManager? {
    get { singleton.takeUnretainedValue().manager.value }
    nonmutating set { singleton.takeUnretainedValue().set(newValue) }
  }

  /// The shared instance; nil if no instance has been stored. This property is equal to ``manager``, since an execution
  /// is sequentially consistent.
  var published: PhotoManager? {
    get { manager }
    nonmutating set { manager = newValue }
  }

  /// The predicate for `dispatch_once`.
  var predicate: ModelOnce { singleton.takeUnretainedValue().predicate }

  /// Creates an instance, and counts it.
  func create() -> PhotoManager { singleton.takeUnretainedValue().create() }

  /// Does nothing in place of a pause, since an exploration executes every order.
  func pause() {}
}

/// The singletons that a thread requests one after the other. An exploration has one singleton.
struct Row: Sendable {
  fileprivate let singleton: Singleton
  fileprivate let thread: Int

  /// Requests the singleton, and records the instance that the thread receives.
  func each(_ sharedManager: (SharedManager) -> PhotoManager?) {
    singleton.got[thread] = sharedManager(SharedManager(singleton))
  }

  /// Requests the singleton asynchronously, and records the instance that the thread receives.
  func each(isolation: isolated (any Actor)? = #isolation, _ sharedManager: (SharedManager) async -> PhotoManager?)
    async
  {
    singleton.got[thread] = await sharedManager(SharedManager(singleton))
  }
}

extension SingletonRace {
  static let exploration = Self.explored([
    "static-let": "a static let is created once in a process, so there is one schedule and not many"
  ])

  /// The steps of the accessor before which a trial pauses. An exploration judges the instances if the step is
  /// `creation`, and otherwise the photo array.
  enum Step { case creation, setUp }

  var runUnguarded: TrialProbe { Probe() }
  var runGuarded: TrialProbe { Probe() }
  var runGuardedTasks: TaskProbe { Probe { trial, body in try waitFor { try await body(trial) } } }
  var runOnce: TrialProbe { Probe() }

  private var actors: Int { 2 }

  func raceUnguarded(_ trial: Trial, _ ask: @escaping @Sendable (Row) -> Void) throws { race(trial, ask) }
  func raceGuarded(_ trial: Trial, _ ask: @escaping @Sendable (Row) -> Void) throws { race(trial, ask) }
  func raceOnce(_ trial: Trial, _ ask: @escaping @Sendable (Row) -> Void) throws { race(trial, ask) }

  func racePaused(before step: Step) -> Probe<@Sendable (Row) -> Void> {
    Probe { trial, ask in race(trial, judgesInstances: step == .creation, ask) }
  }

  private func race(_ trial: Trial, judgesInstances: Bool = true, _ ask: @escaping @Sendable (Row) -> Void) {
    let singleton = Singleton(threads: actors, judgesInstances: judgesInstances)
    Execution.threads(actors) { thread in
      ask(Row(singleton: singleton, thread: thread))
      // A thread that has received an instance uses the photo array of the instance.
      if !judgesInstances, let manager = singleton.got[thread], !manager.hasPhotosArray {
        Execution.breaks("uses an instance without its array")
      }
    }
    singleton.judge()
  }

  func raceGuarded(_ trial: Trial, _ ask: @escaping @Sendable (Row) async -> Void) async throws {
    let singleton = Singleton(threads: actors, judgesInstances: true)
    await withTaskGroup { tasks in
      for thread in 0..<actors { tasks.addTask { await ask(Row(singleton: singleton, thread: thread)) } }
    }
    singleton.judge()
  }
}
