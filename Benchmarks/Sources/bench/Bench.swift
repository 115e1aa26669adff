#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `bench GCDLAB COUNTERPARTS ROUNDS SECONDS one|all [SECTION…]` compares the lab with hand-written C counterparts.
///
/// ROUNDS is the number of rounds of each section. SECONDS limits the time for additional rounds of a section, in which
/// rows are measured again whose verdict is not certain. Sections that measure wake-ups run on one core, or on all
/// cores.
///
/// The exit status is 1 if a row was not measured for a reason other than the machine. A missed target is not a
/// failure, since measurements vary.
@main enum Bench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 5, let rounds = Int(arguments[3]), rounds > 0, let seconds = Double(arguments[4]),
      ["one", "all"].contains(arguments[5])
    else { stop(64, "usage: bench GCDLAB COUNTERPARTS ROUNDS SECONDS one|all [SECTION...]") }
    let (binary, counterparts) = (arguments[1], arguments[2])
    setenv("SWIFT_BACKTRACE", "enable=no", 1)  // The lab starts its workers with the same setting.
    do {
      let tally = try run(
        binary, counterparts, rounds, seconds, wakesUpOnOne: arguments[5] == "one", Array(arguments.dropFirst(5)))
      if tally.unmeasured > 0 { exit(1) }
    } catch {
      stop(2, "bench: \((error as? Failure)?.reason ?? "\(error)")")
    }
  }

  private static func stop(_ status: Int32, _ message: String) -> Never {
    let line = message + "\n"
    write(STDERR_FILENO, line, line.utf8.count)
    exit(status)
  }

  private static func run(
    _ binary: String, _ counterparts: String, _ rounds: Int, _ seconds: Double, wakesUpOnOne: Bool, _ names: [String]
  ) throws -> Tally {
    let lab = try Lab(binary: binary, spawner: Program(path: "\(counterparts)/spawn_cost"))
    let sections = Sections(lab: lab, counterparts: counterparts, rounds: rounds)
    if let unknown = names.first(where: { name in !sections.all.contains { $0.name == name } }) {
      throw Failure(reason: "no section '\(unknown)'; there are \(sections.all.map(\.name).joined(separator: ", "))")
    }
    var load = 0.0
    getloadavg(&load, 1)
    print(
      """
      \(lab.place), \(lab.cores) cores, load \(fixed(load, 2))
      Left gcdlab and right C, unless said otherwise; medians of \(rounds) rounds, and of more where those do not tell
      ratio: left to right, the median of paired rounds
      a | b  two states, such as a wake-up on the same core or on another: rounds in the same one are compared
      ~ the 95 % interval of the median reaches across the limit: too close or too unsteady to tell

      """)
    var tally = Tally()
    for section in sections.all where names.isEmpty || names.contains(section.name) {
      Cores.use(one: wakesUpOnOne && section.isOfWakeUps)
      print(section.title + (Cores.isOne ? ", on one core" : ""))
      fflush(nil)
      let rows = section.rows()
      settle(rows, after: rounds * 5, within: seconds)
      tally.show(rows)
    }
    print(tally.text)
    return tally
  }
}
