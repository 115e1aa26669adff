import Platform
import Scenarios
import Testing

/// What the binary prints that depends on nothing: compared whole.
@Suite struct TextTests {
  @Test func version() async throws {
    let finished = try await Binary.run(["--version"])
    #expect(finished.output == "0.1.0\n")
    #expect(finished.status == 0)
  }

  @Test func completionsKnowTheScenarios() async throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try await Binary.run(["--generate-completion-script", shell]).output
      for (name, _) in EmbeddedScenarios.files { #expect(script.contains(name), "\(shell): \(name)") }
    }
  }

  @Test func machineTellsItsCoresAndFloor() async throws {
    let output = try await Binary.run(["machine"]).output
    for word in ["cores", "noise floor", "clock read", "descriptor limit", "dispatch sources"] {
      #expect(output.contains(word))
    }
  }

  @Test func listNamesEveryScenario() async throws {
    let output = try await Binary.run(["list"]).output
    for (name, _) in EmbeddedScenarios.files { #expect(output.contains("\n\(name) ") || output.hasPrefix("\(name) ")) }
  }

  @Test func explainTellsTheWholeScenario() async throws {
    let output = try await Binary.run(["explain", "apply-stride"]).output
    for words in [
      "Striding repairs that", "serial-loop", "swept over 1, 4, 16, 64, 256, 1024", "apply[stride=64].elapsed",
    ] {
      #expect(output.contains(words), "\(words)")
    }
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
