import ArgumentParser
import Laboratory
import Platform
import Reporting

struct TraceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Record your program, or a trial of a scenario, and draw it: threads, cores, blocks and waits.",
    usage: """
      \(Tool.command) trace [<options>] <names> ...
      \(Tool.command) trace [<options>] -- <program> [<argument> ...]
      """,
    discussion: """
      A program after -- is recorded unchanged until it ends: its calls of Dispatch, and the jobs of Swift concurrency. The \
      program keeps its streams, signals and exit status, and the findings are printed to standard error.
      A scenario is recorded with small settings for legible pictures, or with its settings for --quick if it has no such \
      settings. A terminal shows the first documented variant, or the first deadlock of a scenario about deadlocks, or the \
      variants that --variant names. A file that --export writes contains all variants. --set replaces settings. If --set has a list of values, the pictures of all values are \
      drawn below each other at one scale. A recorded trial is never measured.

      \(examples(("trace \(Lab.example)", "a picture of the first documented variant"), ("trace \(Lab.example) --export trace.html", "a page with all variants; .json opens in Perfetto and speedscope"), ("trace -- ./server --port 8080", "record a program; Ctrl-C ends it, and shows the record")))
      """)

  @Argument(help: "The names of scenarios, or .yml files.", completion: .custom { _, _, _ in Completions.scenarios })
  var names: [String] = []

  /// The program and its arguments, which follow `--`. The argument parser does not allow a second list of words.
  private var program: [String] { Lab.wordsAfterTerminator }

  @Flag(help: "Record all scenarios.")
  var all = false

  @Option(
    name: .customLong("variant"), help: "Record only this variant (repeatable).",
    completion: .custom { words, _, _ in Completions.variants(words) })
  var variants: [String] = []

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Set a parameter to a value, or to several values whose pictures are drawn below each other.",
      valueName: "name=value,…"),
    completion: .custom { words, _, word in Completions.settings(words, word) })
  var settings: [String] = []

  @OptionGroup(title: "Options for a program") var recording: ProgramOptions

  @Option(
    help: ArgumentHelp(
      "Write the recorder as an object file, and print the flags that link a static program with it.", valueName: "file"
    ),
    completion: .file())
  var recorder: String?

  @Option(help: ArgumentHelp("Draw the record from this time on, as in 2ms.", valueName: "duration"))
  var from: String?

  @Option(help: ArgumentHelp("Draw the record up to this time.", valueName: "duration"))
  var to: String?

  @Flag(
    help: "Draw nothing: check the rules that hold in every trace, such as that blocks of a serial queue never overlap."
  )
  var check = false

  @OptionGroup var exports: ExportOptions<TraceSelection>

  @Flag(help: .hidden)
  var quick = false

  @OptionGroup var confinement: CoresOption
  @OptionGroup var color: ColorOptions

  func validate() throws {
    if quick { throw ValidationError("--quick: leave it out; a recorded trial is small anyway, and --set changes it.") }
    if all, !names.isEmpty {
      throw ValidationError("--all records every scenario: give either --all or names of scenarios.")
    }
    if let from = try Duration.nanoseconds(option: "--from", from),
      let to = try Duration.nanoseconds(option: "--to", to), to <= from
    {
      throw ValidationError("--to: found \(self.to ?? ""), expected more than --from.")
    }
  }

  func run() async throws {
    if let recorder {
      guard program.isEmpty, names.isEmpty, !all else {
        throw InputError(
          "this option writes a file and records nothing: omit the program and the scenarios", at: "--recorder")
      }
      return try writeRecorder(recorder)
    }
    if program.isEmpty { try await traceTrials() } else { try await traceProgram() }
  }

  private func traceProgram() async throws {
    guard names.isEmpty, !all, variants.isEmpty, settings.isEmpty, confinement.cores == nil else {
      throw InputError(
        "a program is recorded as it is: give it without scenarios, and without --all, --variant, --set and --cores")
    }
    try await ProgramTrace(
      program, options: recording, files: exports.files(), color: color
    ).run(
      from: Duration.nanoseconds(option: "--from", from), to: Duration.nanoseconds(option: "--to", to), checks: check)
  }

  private func traceTrials() async throws {
    try requireScenarios()
    let files = try exports.files()
    let experiments = try (all ? Lab.library.all() : names.map(Lab.library.experiment)).map {
      try recorded($0, inFiles: !files.isEmpty)
    }
    let (from, to) = (try Duration.nanoseconds(option: "--from", from), try Duration.nanoseconds(option: "--to", to))
    let runner = Runner(Host.executable, machine: .current())
    var traces: [Trace] = []
    Interrupt.begin()
    for (experiment, drawn, others) in experiments where !Task.isCancelled {
      let found = try await runner.traces(Plan(experiment, budget: .smoke, seed: 1))
      if !check, !found.isEmpty {
        try color.print { style in
          TraceText(style: style, from: from, to: to).render(found.filter { drawn.contains($0.variant) }) + "\n"
            + style.paragraph("settings: \(experiment.settingsText)")
            + others.map(style.paragraph).joined()
        }
      }
      traces += found
    }
    if Interrupt.status != nil, traces.isEmpty { return Lab.printMessage("interrupted before anything was recorded") }
    try Lab.throwAll(FileExport.write(TraceSelection(traces, from: from, to: to), to: files))
    if check { return try judge(traces) }
    if Interrupt.status == nil, let reason = Self.failure(of: traces) {
      throw LabError("nothing was recorded: \(reason)")
    }
  }

  /// Verifies that the command names scenarios to record, and has no option that is only for programs.
  ///
  /// - Throws: ``InputError`` if the command line is invalid. The error suggests a correct command line.
  private func requireScenarios() throws(InputError) {
    if let option = recording.given {
      throw InputError(
        "this option is for a program, which follows --: \(Tool.command) trace \(option) -- ./program", at: option)
    }
    // The names are not validated together with the options, since an unknown option must be reported first.
    if !all, names.isEmpty {
      throw InputError("name a scenario (see \(Tool.command) list), give --all, or give a program of your own after --")
    }
    if let name = names.first(where: { $0.contains("/") && !$0.isScenarioFile }) {
      throw InputError(
        "'\(name)' is not a scenario; a program of your own follows --: \(Tool.command) trace -- \(name)")
    }
    try refuseVariants()
  }

  /// Returns the experiment that records the trials of a scenario, the variants that a terminal draws, and paragraphs
  /// with the names of the other variants. There are no paragraphs if the user has chosen variants.
  private func recorded(
    _ experiment: Experiment, inFiles: Bool
  ) throws(InputError) -> (experiment: Experiment, drawn: [String], others: [String]) {
    // The pictures of all variants would fill many screens of a terminal.
    let drawn = variants.isEmpty ? [experiment.typicalVariant].compactMap { $0?.name } : variants
    let overrides = Overrides(cores: confinement.cores, variants: inFiles || check ? variants : drawn)
    let others = variants.isEmpty ? experiment.variants.filter { !drawn.contains($0.name) } : []
    let groups = [
      ("variants that hang or trap (--variant)", others.filter { $0.ending != .completes }),
      ("other variants (--variant)", others.filter { $0.ending == .completes }),
    ]
    let paragraphs = groups.filter { !$1.isEmpty }.map { "\($0): \($1.map(\.name).joined(separator: ", "))" }
    return (try experiment.applying(overrides).forTrace(settings), drawn, paragraphs)
  }

  /// Returns the reason of the first failure if all trials failed; nil if any trial did not fail.
  private static func failure(of traces: [Trace]) -> String? {
    let reasons = traces.compactMap { if case .other(let reason) = $0.end { reason } else { nil } }
    return reasons.count == traces.count ? reasons.first : nil
  }

  private func judge(_ traces: [Trace]) throws {
    let findings = TraceCheck(traces)
    try color.print(findings.render)
    guard Interrupt.status == nil else { return }
    if findings.isBroken { throw ExitCode(1) }
    if !findings.isJudged { throw LabError("no rule could be judged") }
  }

  /// Writes the recorder for statically linked programs, and prints the linker flags. The flags are the same for Swift
  /// and C.
  private func writeRecorder(_ path: String) throws {
    guard Recorder.isAvailable else { throw LabError("programs cannot be recorded on this system") }
    try OutputFile(path, of: "--recorder").write(LinkedRecorder.bytes)
    guard let absolute = realpath(path, nil) else { throw InputError("cannot find \(path)", at: "--recorder") }
    defer { free(absolute) }
    let place = String(cString: absolute)
    guard !place.contains(where: \.isWhitespace) else {
      throw InputError("a shell splits the flags at spaces, and '\(place)' contains a space", at: "--recorder")
    }
    try color.print(asIs: true) { _ in LinkedRecorder.flags(place).joined(separator: " ") + "\n" }
  }

  /// Throws an error if a word after the name of a scenario is not the name of a scenario. The user probably meant a
  /// variant.
  private func refuseVariants() throws(InputError) {
    guard let first = names.first, Lab.library.names.contains(first),
      let word = names.dropFirst().first(where: { !Lab.library.names.contains($0) && !$0.isScenarioFile })
    else { return }
    let variants = try Lab.library.experiment(first).pattern.variants.map(\.name)
    guard !variants.contains(word) else {
      throw InputError("'\(word)' is a variant of \(first): give it as --variant \(word)")
    }
    throw InputError.unknown(
      "scenario", word, known: Lab.library.names + variants,
      listing: .text(
        "\(Tool.command) list has all; a variant of \(first) is given as --variant: \(variants.joined(separator: ", "))"
      ))
  }
}
