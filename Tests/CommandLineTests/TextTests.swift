import Platform
import Laboratory
import Patterns
import Testing

/// Tests of output that depends only on the command line. The output is compared as a whole.
@Suite struct TextTests {
  @Test func `the version is printed`() async throws {
    let finished = try await Binary.run(["--version"])
    #expect(finished.output == "1.0.0\n")
    #expect(finished.status == 0)
  }

  /// Bash itself completes the command line, with the script that the binary generates.
  @Test(arguments: [
    ("scenario sing", "singleton-race"), ("scenario apply-stride --set st", "stride="),
    ("scenario apply-stride --variant as", "async-group"), ("compare apply-stride --metric eff", "efficiency"),
    ("compare apply-stride str", "stride="), ("explain queue-deadlock --code ab", "abba"),
    ("smoke --only queue-vs", "queue-vs-lock"),
    ("documents groups", "groups groups.1 groups.2 groups.3 groups.4 groups.5 groups.6 groups.7"),
    ("explain groups.7", "groups.7"),
    ("scenario apply-stride --set balance = un", "uniform"), ("scenario apply-stride --variant = as", "async-group"),
    ("sing", "singleton-race"), ("tra", "trace"), ("queue-deadlock --variant ab", "abba"),
    ("apply-stride --set balance = un", "uniform"), ("scenario --tag queue", "queues"),
    ("scenario apply-stride --set work = 1", "15ns"),
  ])
  func `a shell completes commands, scenarios, variants, settings and sentences`(_ line: String, _ completed: String)
    async throws
  {
    let script = """
      exec bash -c 'PATH=${0%/*}:$PATH; source <("$0" --generate-completion-script bash)
      COMP_WORDS=(gcdlab \(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
      COMP_POINT=${#COMP_LINE}; compopt() { :; }
      __gcdlab_words gcdlab "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; echo "${COMPREPLY[*]}"' "$0"
      """
    #expect(try await Binary.shell(script).output == completed + "\n")
  }

  @Test func `the help of every command has three examples with the name of the lab`() async throws {
    let help = try await Binary.run(["help"]).output
    let commands = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }.filter {
        $0.first?.isLowercase == true && $0 != "gcdlab"
      }
    #expect(commands.contains("scenario") && commands.contains("new"))
    for command in commands {
      let text = try await Binary.run([command, "--help"]).output
      #expect(text.matches(of: try Regex("(?m)^ +gcdlab \(command)( |$)")).count >= 3, "\(command): \(text)")
    }
  }

  @Test func `the help of compare has its defaults and the comparisons of the page on uses`() async throws {
    let file = #filePath.replacing("Tests/CommandLineTests/TextTests.swift", with: "docs/uses.md")
    let page = try #require(readFile(file))
    let commands = page.matches(of: try Regex("\\| `(gcdlab compare [^`]*)` \\|")).compactMap { $0[1].substring }
    let help = try await Binary.run(["compare", "--help"])
    #expect(commands.count >= 6)
    for command in commands { #expect(help.output.contains("  \(command)\n"), "\(command)") }
    for words in ["default: 2% in compare", "default: 30s in compare", "`gcdlab explain NAME` describes the variants"] {
      #expect(help.unwrapped.contains(words), "\(words)")
    }
  }

  @Test func `a comparison that can rank nothing reports the reason`() async throws {
    let brief = ["--variant", "apply", "--quick", "--rounds", "1", "--quiet", "--no-save"]
    let one = try await Binary.run(["compare", "queue-width", "tasks=8"] + brief)
    #expect(one.errors.contains("one variant with one setting is measured, and compared with nothing"), "\(one.errors)")
    let two = try await Binary.run(["compare", "queue-width", "tasks=8,16", "--metric", "blocked-tasks"] + brief)
    #expect(
      two.errors.contains("the settings are not ranked: neither a higher nor a lower `blocked-tasks`"), "\(two.errors)")
  }

  @Test func `a comparison without a sweep compares the variants at one setting`() async throws {
    let brief = ["--rounds", "1", "--quick", "--no-save"]
    let none = try await Binary.run(["compare", "queue-vs-lock"] + brief)
    #expect(none.status == 0 && none.output.contains("has the best mean so far"), "\(none)")
    #expect(none.errors.contains("no sweep: the variants are compared at one setting; to sweep, give NAME="), "\(none)")
    let swept = try await Binary.run(["compare", "queue-vs-lock", "threads=2,4", "--variant", "mutex"] + brief)
    #expect(
      swept.errors.contains("uncontended does not depend on threads, so the settings are ranked by contended"),
      "\(swept)")
    let named = try await Binary.run(
      ["compare", "queue-vs-lock", "threads=2,4", "--variant", "mutex", "--metric", "uncontended"] + brief)
    #expect(named.errors.contains("uncontended does not depend on threads: its values differ by noise"), "\(named)")
  }

  @Test func `the lab without arguments suggests commands, and a scenario's name runs the scenario`() async throws {
    let alone = try await Binary.run([])
    #expect(
      alone.status == 0 && alone.output.contains("gcdlab scenario singleton-race")
        && alone.output.contains("gcdlab list"))
    let cache = try TemporaryFile("cache")
    let environment = Binary.environment.updating(["GCDLAB_CACHE": cache.path])
    let ran = try await Binary.run(["queue-order", "--quick", "--rounds", "1"], environment: environment)
    #expect(ran.output.hasPrefix("queue-order "), "\(ran)")
  }

  @Test func `the command new creates a package with the lab's address, and refuses an existing directory`()
    async throws
  {
    let place = try TemporaryFile("place")
    let written = try await Binary.shell(
      "mkdir '\(place.path)' && cd '\(place.path)' && \"$0\" new my-queue --lab https://example.org/gcdlab && cat my-queue/Package.swift"
    )
    #expect(
      written.status == 0 && written.output.contains(".package(url: \"https://example.org/gcdlab\", from: \"1.0.0\")"),
      "\(written)")
    // The explored file is the file that the trials run.
    let linked = try await Binary.shell(
      "cd '\(place.path)/my-queue/Sources' && cmp */Counter.swift && readlink MyQueueExplored/Counter.swift")
    #expect(linked.status == 0 && linked.output == "../my-queue/Counter.swift\n", "\(linked)")
    let again = try await Binary.shell("cd '\(place.path)' && \"$0\" new my-queue --lab https://example.org/gcdlab")
    #expect(again.status == 64 && again.errors.contains("cannot make my-queue: File exists"), "\(again)")
    // A file that cannot be written leaves nothing behind.
    let cut = try await Binary.shell(
      "cd '\(place.path)' && trap '' XFSZ && ulimit -f 1 && \"$0\" new cut --lab https://example.org/gcdlab; ls")
    #expect(cut.errors.contains("File too large") && cut.output == "my-queue\n", "\(cut)")
    for bad in ["My", "a b", "gcdlab", "../x", ""] {
      #expect(try await Binary.run(["new", bad, "--lab", "https://example.org/gcdlab"]).status == 64, "\(bad)")
    }
    #expect(
      try await Binary.run(["new", "fine", "--lab", "/tmp"]).errors
        == "gcdlab: --lab: /tmp is neither a folder of the package gcdlab nor an address\n")
  }

  @Test func `the command machine prints the cores, the noise floor and other facts`() async throws {
    let output = try await Binary.run(["machine"]).output
    for word in ["cores", "noise floor", "clock read", "descriptor limit", "dispatch sources"] {
      #expect(output.contains(word))
    }
    #if os(Linux)
      #expect(output.contains("wake-up") && output.contains("on the same core"))
      let json = try await Binary.run(["machine", "--format", "json"]).output
      #expect(json.contains("\"wakeUps\"") && json.contains("\"sameCore\"") && json.contains("\"floor\""))
    #endif
  }

  @Test func `the command list has every scenario once, in its family`() async throws {
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

  @Test func `the command explain prints the variants, settings and claims of a scenario`() async throws {
    let output = try await Binary.run(["explain", "apply-stride"]).output
    let text = output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in [
      "guarantee", "performance", "serial-loop", "swept over 1, 64, 256, iterations", "apply[stride=64].elapsed",
    ] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}

/// Tests of the code listings of variants.
@Suite struct CodeTests {
  @Test func `the option --code shows the body of a variant`() async throws {
    let finished = try await Binary.run(["explain", "fd-semaphore", "--code", "semaphore"])
    #expect(finished.output.hasPrefix("semaphore  documented, FileDescriptorSemaphore.swift:"), "\(finished.output)")
    for line in ["let fdSema = files.timed(DispatchSemaphore(value: Int(getdtablesize() / 2)))", "fdSema.signal()"] {
      #expect(finished.output.contains(line))
    }
    #expect(!finished.output.contains("queue-pool"))
  }

  @Test func `with --code, a name is that of a variant, even if a parameter has it, too`() async throws {
    let code = try await Binary.run(["explain", "apply-stride", "--code", "threads"])
    let word = try await Binary.run(["explain", "apply-stride", "threads"])
    #expect(code.output.hasPrefix("threads  yardstick, ") && code.output.contains("SystemThread"), "\(code)")
    #expect(word.output.hasPrefix("threads, a parameter of apply-stride: "), "\(word)")
  }

  @Test func `the option --code shows all variants, and refuses an unknown variant`() async throws {
    let all = try await Binary.run(["explain", "fd-semaphore", "--code"])
    let experiment = try PromiseTests.library.experiment("fd-semaphore")
    for variant in experiment.variants {
      #expect(all.output.contains("\(variant.name)  \(variant.role.rawValue), "))
    }
    let wrong = try await Binary.run(["explain", "fd-semaphore", "--code", "semaphor"])
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("did you mean 'semaphore'?"))
    let one = try await Binary.run(["explain", "fd-semaphore", "semaphore"])
    #expect(one.output.contains("semaphore  documented, ") && !one.output.contains("unlimited  "))
  }

  @Test(
    arguments: [
      ("pthread-mutex", "gcdlab explain queue-order pthread-mutex shows its code"),
      ("longest-run", "longest-run, a metric of lock-scaling: highest number of entries"),
      ("hold", "hold, a parameter of "), ("two states", "the mean is typical of neither"),
      ("best mean", "best mean: "), ("noise", "noise: "), ("simultaneous", "simultaneous: "),
      ("p50", "p50: the median"),
    ])
  func `explain has the words of a report`(_ word: String, _ meaning: String) async throws {
    let explained = try await Binary.run(["explain", word])
    #expect(explained.status == 0 && explained.unwrapped.contains(meaning), "\(explained.output)\(explained.errors)")
  }
}
