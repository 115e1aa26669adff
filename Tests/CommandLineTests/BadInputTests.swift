import Platform
import Reporting
import Testing

/// Tests that each kind of bad input causes one clear error on standard error, no standard output, and the documented
/// status.
@Suite struct BadInputTests {
  @Test(arguments: [
    (
      ["scenario", "singleton-rac"],
      "gcdlab: unknown scenario 'singleton-rac'; did you mean 'singleton-race'?\n"
    ),
    (
      ["scenario", "lock-scaling", "hold=1us,2us"],
      "gcdlab: 'hold=1us,2us' is not a scenario: --set hold=1us,2us changes a setting, and gcdlab compare lock-scaling "
        + "hold=1us,2us compares several values\n"
    ),
    (
      ["explain", "nothing-like-it"],
      "gcdlab: 'nothing-like-it' is neither a scenario nor a word of the reports (gcdlab list has the scenarios, gcdlab documents the sentences)\n"
    ),
    (
      ["scenario", "apply-stride", "--set", "strid=4"],
      "gcdlab: --set: unknown parameter 'strid' of apply-stride; did you mean 'stride'? (known: iterations, stride, work, balance, repeats, "
        + "short, short-stride, idle, threads, group-blocks, my-iteration, my-iterations, cores)\n"
    ),
    (
      ["scenario", "apply-stride", "--set", "stride=0"],
      "gcdlab: --set: stride: 0 is out of range; expected 1 to 100_000_000\n"
    ),
    (
      ["scenario", "apply-stride", "--set", "work=3lightyears"],
      "gcdlab: --set: work: unknown unit 'lightyears' in '3lightyears' (known: ns, us, ms, s, min)\n"
    ),
    (
      ["scenario", "fd-semaphore", "--set", "hold=5sec"],
      "gcdlab: --set: hold: unknown unit 'sec' in '5sec' (known: ns, us, ms, s, min)\n"
    ),
    (
      ["compare", "apply-stride", "stride=abc"],
      "gcdlab: compare: stride: found 'abc', expected a count such as 64, 1_000 or 200k\n"
    ),
    (
      ["compare", "fd-semaphore", "--variant", "unlimited"],
      "gcdlab: compare: fd-semaphore sweeps nothing by itself: give NAME=VALUES, as in limit=16,64,256 or "
        + "tasks=22,90,360 or hold=1ms,4ms,16ms\n"
    ),
    (
      ["compare", "fd-semaphore", "limit"],
      "gcdlab: compare: found 'limit', expected NAME=VALUES as in limit=16,64,256; a range is 1..64:x4\n"
    ),
    (
      ["scenario", "fd-semaphore", "--set", "limit"],
      "gcdlab: --set: found 'limit', expected NAME=VALUE as in limit=16\n"
    ),
    (
      ["report", "queue-deadlock"],
      "gcdlab: 'queue-deadlock' is a scenario without a saved run: gcdlab scenario queue-deadlock runs and keeps it, "
        + "gcdlab scenario queue-deadlock --export run.json saves it in a file\n"
    ),
    (["report"], "gcdlab: name a result document: gcdlab scenario NAME --export run.json writes one\n"),
    (
      ["explain", "dispatch_apply"],
      "gcdlab: 'dispatch_apply' is neither a scenario nor a word of the reports (mentioned by apply-stride, queue-deadlock)\n"
    ),
    // A hyphen also means a space.
    (
      ["explain", "lazy-initialisation"],
      "gcdlab: 'lazy-initialisation' is neither a scenario nor a word of the reports (gcdlab list has the scenarios, gcdlab documents the sentences)\n"
    ),
    (
      ["explain", "mutx"],
      "gcdlab: 'mutx' is neither a scenario nor a word of the reports; did you mean 'mutex'?\n"
    ),
    (
      ["explain", "signifcant"],
      "gcdlab: 'signifcant' is neither a scenario nor a word of the reports; did you mean 'significant'?\n"
    ),
    (
      ["explain", "open-file-descriptors"],
      "gcdlab: 'open-file-descriptors' is neither a scenario nor a word of the reports (mentioned by fd-semaphore)\n"
    ),
    (
      ["explain"], "gcdlab: name a scenario or a sentence of the documents (see gcdlab list and gcdlab documents)\n"
    ),
    (
      ["diff", "queue-ordr", "queue-order"],
      "gcdlab: 'queue-ordr' is neither a scenario nor a file; did you mean 'queue-order'?\n"
    ),
    (
      ["trace", "queue-deadlock", "abba"],
      "gcdlab: 'abba' is a variant of queue-deadlock: give it as --variant abba\n"
    ),
    (["trace"], "gcdlab: name a scenario (see gcdlab list), give --all, or give a program of your own after --\n"),
    (
      ["smoke", "--only", "nope"],
      "gcdlab: --only: unknown name or tag 'nope' (nearest: once, cost, loop; gcdlab list has all)\n"
    ),
    (["smoke", "--only", "queue"], "gcdlab: --only: unknown name or tag 'queue'; did you mean 'queues'?\n"),
    (
      ["explain", "guide.99"],
      "gcdlab: unknown sentence 'guide.99': guide has 46 sentences, guide.1 to guide.46\n"
    ),
    (
      ["documents", "guide.99"],
      "gcdlab: unknown sentence 'guide.99': guide has 46 sentences, guide.1 to guide.46\n"
    ),
    (["explain", "gide.5"], "gcdlab: unknown sentence 'gide.5'; did you mean 'guide.5'?\n"),
    (
      ["explain", "guide"],
      "gcdlab: 'guide' is a document of 46 sentences: name one, as in guide.1, or list them by documents guide\n"
    ),
    (
      ["scenario", "singleton-race", "--export", "/"],
      "gcdlab: --export: / is a directory: name a file, as in /run.html\n"
    ),
    (
      ["trace", "singleton-race", "--export", "/"], "gcdlab: --export: / is a directory: name a file, as in /run.html\n"
    ),
    (
      ["scenario", "apply-stride", "--variant", "aply"],
      "gcdlab: --variant: unknown variant 'aply' of apply-stride; did you mean 'apply'? (known: serial-loop, apply, apply-short, "
        + "after-idle, apply-queue, apply-serial, apply-serial-in-block, async-group, threads, task-group)\n"
    ),
    (["scenario", "missing.yml"], "gcdlab: cannot read missing.yml: No such file or directory\n"),
    (["scenario", "/"], "gcdlab: cannot read /: Is a directory\n"),
    (
      ["scenario", "singleton-race", "--export", "/nowhere/x.json"],
      "gcdlab: --export: cannot write /nowhere/x.json: No such file or directory\n"
    ),
    (
      ["scenario", "singleton-race", "--export", "x.pdf"],
      "gcdlab: --export: x.pdf: no format for '.pdf' (known: \(ReportInput.formats.map { "." + $0.fileExtension }.joined(separator: " ")))\n"
    ),
    (
      ["scenario", "library-load", "--set", "roots=/usr:/no/such"],
      "gcdlab: --set: roots: cannot read the directory /no/such: No such file or directory\n"
    ),
    (["watch", "/no/such/file"], "gcdlab: cannot watch /no/such/file: No such file or directory\n"),
  ])
  func `bad input is refused with one clear error`(_ arguments: [String], _ message: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.errors == message)
    #expect(finished.output == "")
    #expect(finished.status == 64)
  }

  @Test(arguments: [
    (["scenario", "singleton-race", "--rounds", "0"], "gcdlab: --rounds: found 0, expected 1 to 10000."),
    (["scenario", "singleton-race", "--time", "soon"], "gcdlab: --time: found 'soon', expected a duration such as"),
    (["scenario", "singleton-race", "--quick", "--thorough"], "gcdlab: --quick and --thorough exclude each other."),
    (["scenario", "singleton-race", "--format", "xls"], "gcdlab: The value 'xls' is invalid for '--format <format>'."),
    (
      ["compare", "apply-stride", "stride=1,2", "--set", "stride=4"],
      "gcdlab: compare: 'stride' is swept, and set by --set stride=4: leave one of them out\n"
    ),
    (
      ["compare", "apply-stride", "stride=1,2", "--trial-time", "soon"],
      "gcdlab: --trial-time: found 'soon', expected a duration"
    ),
    (["diff", "queue-order", "--runs", "0"], "gcdlab: --runs: found 0, expected 1 to 1000."),
    (["diff", "queue-order", "--run-time", "soon"], "gcdlab: --run-time: found 'soon', expected a duration"),
    (["watch", ".", "--count", "0"], "gcdlab: --count: found 0, expected 1 or more."),
  ])
  func `usage errors have the exit status 64`(_ arguments: [String], _ start: String) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.errors.hasPrefix(start), "\(finished.errors)")
    #expect(finished.output == "")
    #expect(finished.status == 64)
  }

  @Test(arguments: [
    (
      ["scenari"], "gcdlab: unknown command or scenario 'scenari'; did you mean 'scenario'? (known: list, explain,",
      "new; scenarios: gcdlab list)\n"
    ),
    (
      ["singleton-rac"], "gcdlab: unknown command or scenario 'singleton-rac'; did you mean 'singleton-race'? (known: ",
      "new; scenarios: gcdlab list)\n"
    ),
    (["help", "scenari"], "gcdlab: unknown command or scenario 'scenari'; did you mean 'scenario'? (known: list,", ""),
    (["scenario"], "gcdlab: name a scenario (see gcdlab list), or give --all or --tag\n", ""),
    (["scenario", "--nope"], "gcdlab: Unknown option '--nope'", ""),
    // The first option is too different from any other for a guess. The second differs in one letter.
    (["scenario", "--fast"], "gcdlab: Unknown option '--fast'.\nUsage", ""),
    (["compare", "apply-stride", "--precision", "2"], "gcdlab: --precision: found '2', expected", ""),
    (
      ["compare", "apply-stride", "--time", "20"], "gcdlab: --time: found '20', which has no unit; did you mean 20s?",
      ""
    ),
    (
      ["compare", "lock-scaling", "threads=1,2"],
      "gcdlab: compare: unknown parameter 'threads' of lock-scaling; did you mean 'threads-per-core'?", ""
    ),
    (
      ["compare", "apply-stride", "--baseline", "serial"],
      "gcdlab: --baseline: unknown variant 'serial' of apply-stride; did you mean 'serial-loop'?", ""
    ),
    (["trace", "queue-order", "--quick"], "gcdlab: --quick: leave it out", ""),
    (["scenario", "--quik"], "gcdlab: Unknown option '--quik'. Did you mean '--quick'?\n", ""),
    (["scenario", "--all", "singleton-race"], "gcdlab: --all runs every scenario: give either --all", ""),
    (["scenario", "--tag", "queue"], "gcdlab: --tag: unknown tag 'queue'; did you mean 'queues'? (known: ", ")\n"),
    (["documents", "guid"], "gcdlab: unknown document 'guid'; did you mean 'guide'? (known: ", ")\n"),
    (["documents", "none.json"], "gcdlab: cannot read none.json: No such file or directory\n", ""),
    (["smoke", "--junit", "/no/x"], "gcdlab: --junit: cannot write /no/x: ", ""),
    (["report", "--nope"], "gcdlab: Unknown option '--nope'", ""),
    (["compare", "apply-stride", "--json"], "gcdlab: Unknown option '--json'. Did you mean '--format json'?\n", ""),
    (["explain", "apply-stride", "--json"], "gcdlab: Unknown option '--json'\nUsage", ""),
    (["list", "--nope"], "gcdlab: Unknown option '--nope'", ""),
    // A negative number is the value of the preceding option, and not an option.
    (["scenario", "queue-order", "--rounds", "-1"], "gcdlab: --rounds: found -1, expected 1 to 10000.\n", ""),
    (["scenario", "queue-order", "--time", "-5s"], "gcdlab: --time: -5s is out of range; expected ", ""),
    (["scenario", "queue-order", "--seed", "-1"], "gcdlab: The value '-1' is invalid for '--seed <seed>'", ""),
    (
      ["trace", "work-item", "nosuch"],
      "gcdlab: unknown scenario 'nosuch' (gcdlab list has all; a variant of work-item is given as --variant: ",
      ")\n"
    ),
  ])
  func `every error has the prefix of the lab, and a guess if a name is similar`(
    _ arguments: [String], _ start: String, _ end: String
  ) async throws {
    let finished = try await Binary.run(arguments)
    #expect(finished.status == 64 && finished.output == "")
    #expect(finished.errors.hasPrefix(start) && finished.errors.hasSuffix(end), "\(finished.errors)")
  }

  @Test func `a percentile that no trial has is an error, and the other figures are still shown`() async throws {
    let file = try TemporaryFile(
      "x.yml",
      """
      scenario: x
      pattern: fd-semaphore
      title: t
      source: s
      claims:
        - says: It is quick, nearly always.
          kind: guarantee
          check: semaphore.elapsed.p99 < 1s
      """)
    let refused = try await Binary.run(["scenario", file.path, "--quick", "--rounds", "1", "--variant", "semaphore"])
    #expect(refused.status == 64)
    #expect(
      refused.errors.contains(
        "x: check 'semaphore.elapsed.p99 < 1s': p99 needs 100 samples in each trial; semaphore had at most 1"),
      "\(refused.errors)")
    #expect(refused.output.contains("elapsed"))
  }

  @Test func `the error in a scenario file names its line`() async throws {
    let file = try TemporaryFile("broken.yml", "scenario: x\npattern: apply-stride\ntitle: t\nsource: s\nswep: {}\n")
    let finished = try await Binary.run(["scenario", file.path])
    #expect(
      finished.errors
        == "gcdlab: \(file.path):5: unknown key 'swep'; did you mean 'sweep'? (allowed: scenario, pattern, title, source, lesson, "
        + "tags, parameters, variants, sweep, baseline, show, claims, conclusions, quick, trace)\n")
    #expect(finished.status == 64)
  }

  @Test func `a worker without a request ends with an error`() async throws {
    let finished = try await Binary.run(["worker"])
    #expect(finished.status == 64)
    #expect(finished.errors.contains("expected a trial request as one line of JSON"))
  }

  @Test func `a run with too few descriptors ends with the status of a machine error`() async throws {
    let finished = try await Binary.shell("ulimit -n 40; exec \"$0\" smoke singleton-race")
    #expect(
      finished.errors == "gcdlab: workers need 64 open descriptors, but the limit is 40; "
        + "raise the limit with: ulimit -n 64\n")
    #expect(finished.status == 2)
  }
}
