import Testing

@testable import Laboratory

/// Tests of the names that an error suggests for a misspelt one.
@Suite struct NearestNameTests {
  private let names = ["threads-per-core", "hold", "hold-time", "entries", "serial-loop"]

  @Test func `a typo of a name suggests the name`() {
    #expect(names.nearest(to: "entris") == "entries" && names.nearest(to: "thread-per-core") == "threads-per-core")
    #expect(names.nearest(to: "widget") == nil && names.nearest(to: "") == nil)
  }

  @Test func `a typo of the first words of a single name suggests the name`() {
    #expect(names.nearest(to: "treads") == "threads-per-core")
    #expect(names.nearest(to: "serail") == "serial-loop")
    // Two names begin with the same word, of which one is the word itself.
    #expect(names.nearest(to: "holt") == "hold")
    #expect(["hold-time", "hold-count"].nearest(to: "holt") == nil)
  }
}
