import Testing

@testable import Laboratory

/// Tests of the code that `explain --code` displays of a pattern, and of its explanations of helpers.
@Suite struct VariantCodeTests {
  private static let pattern = """
    struct Own: Pattern {
      let tasks = Parameter.count("tasks", 1...10, default: 1, "tasks")

      var variants: [Variant] {
        Variant("way", .documented, "does it") { trial in
          let source = DispatchSource.makeUserDataAddSource(queue: .main)
          // measureTwice is named in a comment.
          try measure(trial) { life, _ in
            life.queue.async { source.cancel() }
            life.note("life.cancel()", later: life.state.count)
            Tally.of(life).close()
            spin(trial[tasks])
          }
          .recordRest(trial)
        }
      }

      /// Spins for a while.
      func spin(_ count: Int) { Platform.spin(count) }
    }
    """
  private static let trials = """
    extension Own {
      /// Runs the body,
      /// e.g. twice. More is not said.
      ///
      /// - Parameter body: is run.
      @discardableResult
      func measure(_ trial: Trial, _ body: (Life, Rest) -> Void) -> Rest { Rest() }

      /// Runs it twice.
      func measureTwice() {}
    }

    /// A life.
    final class Life {
      /// The queue of the handlers.
      let queue = DispatchQueue(label: "life")
      fileprivate let state = State()
      /// Cancels the source.
      func cancel() {}
      #if os(Linux)
        /// Notes a word.
        func note(_ word: String, later: Int) {}
      #endif
    }

    struct Rest {
      /// Records the rest.
      func recordRest(_ trial: Trial) {}
    }

    /// A tally of lives.
    enum Tally {
      static func of(_ life: Life) -> Tally { Tally() }
      /// Closes the tally.
      func close() {}
    }
    """

  private func code(_ trials: String = trials) -> VariantCode {
    VariantCode(of: [("Own.swift", Self.pattern), ("OwnTrials.swift", trials), ("own.yml", "measure: none")])
  }
  private let way = Variant("way", .documented, "does it", file: "Own/Own.swift", line: 5) { _ in }

  @Test func `each helper is explained by the first sentence of its documentation, in the order of the code`() throws {
    let code = try #require(code().code(of: way))
    #expect(
      code.suffix(8) == [
        "func spin(_ count: Int) { Platform.spin(count) }", "", "// measure: Runs the body, e.g. twice.",
        "// life.queue: The queue of the handlers.", "// life.note: Notes a word.", "// Tally: A tally of lives.",
        "// close: Closes the tally.", "// recordRest: Records the rest.",
      ])
  }

  @Test func `a helper without documentation is found, but has no explanation`() throws {
    let found = code(Self.trials.replacing("/// Notes a word.", with: "// Notes a word."))
    #expect(found.helpers(of: way).filter { $0.summary == nil }.map(\.name) == ["life.note", "Tally.of"])
    #expect(try #require(found.code(of: way)).allSatisfy { !$0.contains("// life.note") })
  }

  @Test func `names in comments, in literals and of system functions are not taken for helpers`() {
    let names = code().helpers(of: way).map(\.name)
    #expect(names == ["measure", "life.queue", "life.note", "Tally", "Tally.of", "close", "recordRest"])
  }

  @Test func `a body without helpers has no explanations`() throws {
    let code = """
      struct Own: Pattern {
        var variants: [Variant] {
          Variant("way", .documented, "does it") { trial in
            DispatchQueue.main.async {}
          }
        }
      }
      """
    let way = Variant("way", .documented, "does it", file: "Own/Own.swift", line: 3) { _ in }
    #expect(VariantCode(of: [("Own.swift", code)]).code(of: way) == ["DispatchQueue.main.async {}"])
    #expect(VariantCode(of: []).code(of: way) == nil)
  }

  @Test func `the code of a variant with a probe begins with the probe and the parameters of the body`() throws {
    let code = """
      struct Own: Pattern {
        var variants: [Variant] {
          Variant(
            "way", .documented, "does it, (once",
            lives(of: [1, 2])
          ) { life, rest in
            life.cancel()

            rest.count()
          }
          Variant("other", .documented, "does it", lives(of: [])) { trial in
            life.cancel()
          }
        }
      }
      extension Own {
        /// Runs the body with a life.
        func lives(of numbers: [Int]) -> Probe<@Sendable (Life, Rest) -> Void> {
          Probe { trial, body in body(Life(), Rest()) }
        }
      }
      """
    let probe = TrialProbe()
    let way = Variant("way", .documented, "does it", probe, file: "Own/Own.swift", line: 3) { _ in }
    let found = VariantCode(of: [("Own.swift", code), ("OwnTrials.swift", Self.trials)])
    #expect(
      found.code(of: way) == [
        "lives(of: [1, 2]) { life, rest in", "  life.cancel()", "", "  rest.count()", "}", "",
        "// lives: Runs the body with a life.", "// life.cancel: Cancels the source.",
      ])
    // A body that uses the trial itself requires no explanation.
    let other = Variant("other", .documented, "does it", probe, file: "Own/Own.swift", line: 11) { _ in }
    #expect(found.body(of: other) == ["life.cancel()"])
  }
}
