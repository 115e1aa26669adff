import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

@Suite struct AutoreleaseTests {
  static let settings: [String: ParameterValue] = ["blocks": .integer(5), "objects": .integer(3)]

  @Test(arguments: Autorelease().variants.map(\.name))
  func `a trial on a system without autorelease pools is unavailable with the reason`(_ variant: String) async throws {
    let attempt = try await Attempt(variant, of: Autorelease(), files: Catalogue.files, Self.settings)
    #if canImport(ObjectiveC)
      #expect(attempt.areAll(.held, .witnessed))
    #else
      #expect(attempt.trial.outcome == .unavailable(reason: "autorelease pools, which only Darwin has, are needed"))
      let description = try PatternDescription(Autorelease())
      #expect(description.implementation.obstacle(on: .test) == "only on Darwin; this system is Linux")
    #endif
  }

  @Test(arguments: ["own-pool", "work-item"])
  func `objects that are released at once do not count as kept`(_ variant: String) async throws {
    let attempt = try await Attempt(variant, of: Autorelease(), files: Catalogue.files, Self.settings) { trial in
      try Autorelease().countObjects(by: .other { _ in })(trial) { made in
        for block in made.blocks { block.makeAndAutorelease() }
      }
    }
    #expect(try attempt.verdict("\(variant).kept == 0") == .held)
    #expect(attempt.total("left") == 0)
  }

  // MARK: Broken bodies

  /// An object that retains the objects that are to be released.
  private final class Keeper: Sendable {
    private let kept = Mutex<[any Sendable & AnyObject]>([])
    func keep(_ object: any Sendable & AnyObject) { kept.withLock { $0.append(object) } }
  }

  static var reds: [Red] {
    [
      // The object is released at once.
      Red("queue-pool.kept > 0", "queue-pool", of: Autorelease(), settings) { trial in
        try Autorelease().countObjects(by: .other { _ in })(trial) { made in
          for block in made.blocks { block.makeAndAutorelease() }
        }
      }
    ]
      + ["own-pool", "work-item"].map { variant in
        Red("\(variant).kept == 0", variant, of: Autorelease(), settings) { trial in
          let keeper = Keeper()
          try Autorelease().countObjects(by: .other { keeper.keep($0) })(trial) { made in
            for block in made.blocks { block.makeAndAutorelease() }
          }
        }
      }
  }
}
