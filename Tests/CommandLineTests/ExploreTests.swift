import FoundationEssentials
import LabTesting
import Platform
import Testing

@Suite struct ExploreTests {
  @Test func `the shortest schedule that breaks a variant is shown step by step`() async throws {
    let finished = try await Binary.run(["explore", "singleton-race", "--variant", "check-then-act"])
    #expect(finished.status == 0)
    #expect(
      finished.output.hasPrefix(
        """
        singleton-race  check-then-act
        18 schedules of 2 threads, 12 break it: two instances.
        The shortest schedule that breaks it: 1.2.2.1
        step  thread 1                       thread 2
           1  reads manager: nil
           2                                 reads manager: nil
           3                                 creates instance 1, stores it
           4  creates instance 2, stores it  ← two instances

        """))
    #expect(
      finished.output.contains("not a proof of the library") || finished.output.contains("nothing here is a proof"))
  }

  @Test func `the option --schedule repeats a schedule`() async throws {
    let finished = try await Binary.run(["explore", "singleton-race", "--variant", "mutex", "--schedule", "2"])
    #expect(finished.status == 0)
    #expect(
      finished.output.hasPrefix(
        """
        singleton-race  mutex
        step  thread 1                   thread 2
           1                             locks the lock
           2                             reads manager: nil
           3                             creates instance 1, stores it
           4                             reads manager: instance 1
           5  locks the lock
           6  reads manager: instance 1
           7  reads manager: instance 1
        It holds.

        """))
  }

  @Test func `every variant of a scenario has a line, even if it cannot be explored`() async throws {
    let finished = try await Binary.run(["explore", "singleton-race"])
    #expect(finished.status == 0)
    #expect(finished.output.contains("✓ mutex                  None of the 2 schedules of 2 threads breaks it.\n"))
    #expect(finished.output.contains("- static-let             It cannot be explored: a static let is created once"))
  }

  @Test func `variants with the same obstacle share a sentence, and every answer has the limits of its model`()
    async throws
  {
    let directory = try ScratchDirectory()
    defer { directory.remove() }
    let paths = ["json", "html"].map { directory.file("explored.\($0)") }
    let wide = Binary.environment.updating(["COLUMNS": "120"])
    let finished = try await Binary.run(
      ["explore", "source-lifecycle"] + paths.flatMap { ["--export", $0] }, environment: wide)
    #expect(finished.status == 0)
    #expect(
      finished.output.contains(
        """
        - starts-suspended             They cannot be explored: only the handlers and the cancellation of a custom source are
        - suspend-coalesces            modelled.
        - suspended-read
        - waiting-read
        - retarget

        """), "\(finished.output)")
    #expect(
      finished.output.contains("✗ cancel-beside                16 schedules of the caller and 2 blocks, 3 break it"))
    let leftOut = "A source delivers at most three handler calls."
    #expect(finished.output.contains("\n\n\(leftOut)"))
    for path in paths { #expect(try String(contentsOfFile: path, encoding: .utf8).contains(leftOut)) }
    let repeated = try await Binary.run(["explore", "source-lifecycle", "--schedule", "0"], environment: wide)
    #expect(repeated.output.contains(leftOut))
    // Other scenarios add nothing to the text.
    let other = try await Binary.run(["explore", "singleton-race"], environment: wide)
    #expect(!other.output.contains(leftOut))
  }

  @Test func `no line is wider than a narrow terminal`() async throws {
    let narrow = Binary.environment.updating(["COLUMNS": "40"])
    for scenario in ["library-load", "source-lifecycle"] {
      let finished = try await Binary.run(["explore", scenario], environment: narrow)
      #expect(finished.status == 0)
      #expect(finished.output.split(separator: "\n").allSatisfy { $0.count <= 40 })
    }
  }

  @Test func `every export has the same schedule as the terminal`() async throws {
    let directory = try ScratchDirectory()
    defer { directory.remove() }
    let paths = ["json", "html", "txt"].map { directory.file("explored.\($0)") }
    let finished = try await Binary.run(
      ["explore", "singleton-race", "--variant", "check-then-act"] + paths.flatMap { ["--export", $0] })
    #expect(finished.status == 0)
    for path in paths {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("1.2.2.1") && text.contains("creates instance 2, stores it"), "\(path)")
    }
    let json = try String(contentsOfFile: paths[0], encoding: .utf8)
    #expect(json.contains(#""schema" : "gcdlab.exploration/1""#) && json.contains(#""schedules" : 18"#))
  }

  @Test func `trials on free threads show the anomaly that an exploration found`() async throws {
    let finished = try await Binary.run(
      ["explore", "singleton-race", "--variant", "check-then-act-paused", "--trials", "3"])
    #expect(finished.status == 0)
    let text = finished.output.replacing("\n", with: " ")
    #expect(
      text.contains(
        "On free threads, 3 of 3 trials of the scenario show its anomaly (the trials are built to provoke it)."),
      "\(finished.output)")
  }

  @Test func `trials are those of a scenario on the explored pattern, whatever the scenario's name is`() async throws {
    let finished = try await Binary.shell("exec \"$(dirname \"$0\")/faults\" explore faults --trials 2")
    #expect(finished.status == 0, "\(finished)")
    #expect(
      finished.output.replacing("\n", with: " ").contains(
        "On free threads, 2 of 2 trials of the scenario show its anomaly"),
      "\(finished)")
  }

  @Test func `the report of a scenario includes the results of exploring its variants`() async throws {
    let finished = try await Binary.run([
      "scenario", "barrier-scope", "--quick", "--variant", "private", "--variant", "global", "--format", "json",
    ])
    #expect(
      finished.output.contains(
        "some order of steps breaks global; none of the 3 orders breaks private (gcdlab explore barrier-scope)"))
  }

  @Test func `an exploration that the time ends does not pass`() async throws {
    // A duration that no machine can meet: every order of the largest scenario, in one millisecond.
    let finished = try await Binary.run(["explore", "library-load", "--variant", "task-group", "--time", "1ms"])
    #expect(finished.status == 2)
    #expect(finished.errors.contains("library-load task-group was not explored to the end"))
    #expect(finished.output.replacing("\n", with: " ").contains("The search ended before all schedules were tried."))
  }

  @Test(arguments: [
    (["explore"], "name a scenario that can be explored, or give --all"),
    (["explore", "singleton-rac"], "did you mean 'singleton-race'?"),
    (["explore", "hop-cost"], "hop-cost cannot be explored (these can: singleton-race, "),
    (["explore", "singleton-race", "--variant", "mutx"], "did you mean 'mutex'?"),
    (["explore", "singleton-race", "--schedule", "1.x"], "--schedule: found '1.x', expected the numbers of threads"),
    (
      ["explore", "singleton-race", "--schedule", "1.3"],
      "step 2: found 3, which cannot make a step now; these can: 1, 2"
    ),
    (["explore", "singleton-race", "--schedule", "1", "--random", "5"], "--schedule and --random: give only one"),
    (["explore", "singleton-race", "--trials", "0"], "--trials: found 0, expected 1 to"),
    (["explore", "singleton-race", "--schedule", "1", "--trials", "1"], "--trials cannot be combined with --schedule"),
    (["explore", "singleton-race", "--random", "0"], "--random: found 0, expected 1 to"),
    (["explore", "singleton-race", "--preemptions", "-1"], "--preemptions"),
    (["explore", "singleton-race", "--seed", "3"], "--seed requires --random or --priorities"),
    (["explore", "singleton-race", "--all"], "--all explores every scenario"),
    (["explore", "singleton-race", "--time", "soon"], "--time"),
    (["explore", "singleton-race", "--export", "a.pdf"], "no format for '.pdf'"),
  ])
  func `bad input is refused`(_ arguments: [String], _ words: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.status == 64)
    #expect(finished.output.isEmpty)
    #expect(finished.errors.contains(words), "\(finished.errors)")
  }
}
