import Platform
import Testing

/// Tests of the verdicts on workers that misbehave. The workers belong to a lab with an option for their misbehaviour
/// (`Tools/Faults`).
@Suite struct MisbehaviourTests {
  /// The path of the misbehaving lab, which is in the directory of the binary.
  private static let faults = Binary.path.replacing(/gcdlab$/, with: "faults")

  private func lab(_ faults: String, _ arguments: String) async throws -> Binary.Finished {
    try await Binary.shell("FAULTS='\(faults)' exec '\(Self.faults)' \(arguments)")
  }

  @Test func `a run of honest workers passes, and unsupported features do not count as lost trials`() async throws {
    let smoke = try await lab("", "smoke --time 10min")
    #expect(smoke.status == 0 && smoke.output.hasSuffix("3 passed, 0 failed\n"), "\(smoke)")
    #expect(!smoke.output.contains("lost"), "\(smoke.output)")
    let scenario = try await lab("", "scenario safe together speed --rounds 6")
    #expect(scenario.status == 0, "\(scenario)")
  }

  @Test(arguments: ["smoke safe --time 20s", "smoke safe --time 4s", "scenario safe --time 4s"])
  func `a run with a hung variant does not pass, however short its time is`(_ command: String) async throws {
    let finished = try await lab("hang:left", command)
    // If the machine is so busy that the time ends before the variant hangs, the test has no result.
    #expect([1, 2].contains(finished.status), "\(finished)")
    #expect(finished.output.contains("left hung in round 1") || finished.status == 2, "\(finished)")
    #expect(!finished.output.contains("1 passed"))
  }

  @Test(arguments: ["spin:left", "stopped:left", "killed:left", "starved:left", "full:left"])
  func `a run whose trials the machine does not allow is not judged and does not pass`(_ fault: String) async throws {
    for command in ["smoke safe --time 4s", "scenario safe --rounds 3 --time 4s"] {
      let finished = try await lab(fault, command)
      #expect(finished.status == 2, "\(fault): \(finished)")
      #expect(finished.errors.contains("not judged: safe"), "\(finished.errors)")
    }
  }

  @Test func `the option --allow-unjudged accepts lost trials of a named scenario`() async throws {
    let allowed = try await lab("killed:right", "smoke safe together --allow-unjudged safe --allow-unjudged together")
    #expect(allowed.status == 0, "\(allowed)")
    let other = try await lab("killed:right", "smoke safe together --allow-unjudged safe")
    #expect(other.status == 2 && other.errors.contains("not judged: together"), "\(other)")
    let unknown = try await lab("", "smoke safe --allow-unjudged saffe")
    #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'safe'?"), "\(unknown)")
  }

  @Test func `a claim on all variants names a variant without trials, and lost trials are counted`() async throws {
    let finished = try await lab("killed:right", "smoke together")
    #expect(finished.status == 2 && finished.unwrapped.contains("3 trials lost"), "\(finished)")
    #expect(finished.unwrapped.contains("all.missed <= 1: no trial showed right: signal 9"), "\(finished.output)")
  }

  @Test(arguments: ["crash:left", "crash=80%:left", "hang:right"])
  func `a run fails if a variant that is meant to complete crashes or hangs`(_ fault: String)
    async throws
  {
    let file = try TemporaryFile("x.xml")
    let finished = try await lab(fault, "scenario speed --rounds 6 --seed 4 --time 20s --export '\(file.path)'")
    #expect(finished.status == 1, "\(finished)")
    #expect(finished.unwrapped.contains("which is meant to complete"), "\(finished.output)")
    #expect(readFile(file.path)?.contains("<error type=\"unfinished\"") == true)
    // A fault that concerns a share of the trials may not occur in a few trials.
    guard !fault.contains("=") else { return }
    let compared = try await lab(fault, "compare together size=1,2 --rounds 1 --seed 4 --time 1min")
    #expect(compared.status == 1, "\(compared)")
  }

  @Test(arguments: ["empty", "hollow", "absent", "negative", "garbage", "nothing", "silent", "status", "flood"])
  func `the trial of a worker without a valid report is broken`(_ fault: String) async throws {
    for command in ["smoke safe", "scenario together --rounds 2", "compare together size=1,2 --rounds 2"] {
      let finished = try await lab("\(fault):left", command)
      // If the machine is too busy to read the flood of output within a trial's time, the trial is ended first.
      let isTold = finished.output.contains("broken") || fault == "flood"
      // A comparison has an answer without the variant of which the machine was too busy to run a trial.
      let isBusy = fault == "flood" && finished.output.contains("too busy")
      #expect((finished.status != 0 || isBusy) && isTold, "\(fault), \(command): \(finished)")
      if fault != "flood" { #expect(finished.status == 1, "\(fault), \(command): \(finished)") }
    }
  }

  @Test func `only a comparison of many runs prints the time of its trials before the first trial`() async throws {
    let finished = try await lab("", "compare together size=1..60 --variant left --variant right --time 1ms --rounds 1")
    #expect(finished.errors.contains("1 round of 120 trials: 120 trials take "), "\(finished.errors)")
    let small = try await lab("", "compare together size=1,2 --rounds 1")
    #expect(!small.errors.contains("1 round of "), "\(small.errors)")
  }
}
