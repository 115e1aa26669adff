import Platform
import Laboratory
import Patterns
import Testing

/// What the binary prints that depends on nothing: compared whole.
@Suite struct TextTests {
  @Test func version() async throws {
    let finished = try await Binary.run(["--version"])
    #expect(finished.output == "0.1.0\n")
    #expect(finished.status == 0)
  }

  /// By bash itself, with the script that the binary generates for it.
  @Test(arguments: [
    ("scenario sing", "singleton-race"), ("scenario apply-stride --set st", "stride="),
    ("scenario apply-stride --variant as", "async-group"), ("compare apply-stride --metric eff", "efficiency"),
    ("compare apply-stride str", "stride="), ("explain queue-deadlock --code ab", "abba"),
    ("smoke --only queue-vs", "queue-vs-lock"), ("documents gui", "guide"),
  ])
  func `a shell completes what a scenario has`(_ line: String, _ completed: String) async throws {
    let script = """
      exec bash -c 'PATH=${0%/*}:$PATH; source <("$0" --generate-completion-script bash)
      COMP_WORDS=(gcdlab \(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}; _gcdlab gcdlab "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[*]}"' "$0"
      """
    #expect(try await Binary.shell(script).output == completed + "\n")
  }

  @Test func machineTellsItsCoresAndFloor() async throws {
    let output = try await Binary.run(["machine"]).output
    for word in ["cores", "noise floor", "clock read", "descriptor limit", "dispatch sources"] {
      #expect(output.contains(word))
    }
  }

  @Test func listNamesEveryScenarioOnceInItsFamily() async throws {
    let lines = try await Binary.run(["list"]).output.split(separator: "\n").map(String.init)
    let families = lines.filter { !$0.hasPrefix(" ") }.dropLast(
      lines.reversed().firstIndex { $0.hasPrefix("Run") } ?? 0)
    #expect(Set(families).count == families.count)
    for experiment in try PromiseTests.library.all() {
      let places = lines.indices.filter { lines[$0].hasPrefix("  \(experiment.name) ") }
      #expect(places.count == 1, "\(experiment.name)")
      let family = places.first.flatMap { lines[..<$0].last { !$0.hasPrefix(" ") } }
      #expect(family == experiment.tags.first)
    }
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func explainTellsTheWholeScenario() async throws {
    let output = try await Binary.run(["explain", "apply-stride"]).output
    for words in [
      "A strided apply is faster", "serial-loop", "swept over 1, 16, 64, 256, iterations", "apply[stride=64].elapsed",
    ] {
      #expect(output.contains(words), "\(words)")
    }
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}

/// The code that ran, shown.
@Suite struct CodeTests {
  @Test func codeShowsAVariantsBody() async throws {
    let finished = try await Binary.run(["explain", "fd-semaphore", "--code", "semaphore"])
    #expect(finished.output.hasPrefix("semaphore  documented, FileDescriptorSemaphore.swift:"), "\(finished.output)")
    for line in ["let places = DispatchSemaphore(value: Int(getdtablesize() / 2))", "places.signal()"] {
      #expect(finished.output.contains(line))
    }
    #expect(!finished.output.contains("queue-pool"))
  }

  @Test func codeOfAllVariantsOrOfNoneThatThereIs() async throws {
    let all = try await Binary.run(["explain", "fd-semaphore", "--code"])
    let experiment = try PromiseTests.library.experiment("fd-semaphore")
    for variant in experiment.variants {
      #expect(all.output.contains("\(variant.name)  \(variant.role.rawValue), "))
    }
    let wrong = try await Binary.run(["explain", "fd-semaphore", "--code", "semaphor"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("did you mean 'semaphore'?"))
    #expect(try await Binary.run(["explain", "fd-semaphore", "semaphore"]).status == 64)
  }
}
