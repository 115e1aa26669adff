#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `bench GCDLAB PROBES [ROUNDS [SECTION…]]`: the lab against hand-written C counterparts.
///
/// Exit status 1 when a row was not measured and the machine was not to blame. A missed target is no failure: machines are
/// noisy.
@main enum Bench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 2, let rounds = Int(arguments.dropFirst(2).first ?? "15"), rounds > 0 else {
      stop(64, "usage: bench GCDLAB PROBES [ROUNDS [SECTION...]]")
    }
    let (binary, probes) = (arguments[1], arguments[2])
    setenv("SWIFT_BACKTRACE", "enable=no", 1)  // As the lab starts its workers.
    do {
      let tally = try run(binary, probes, rounds, Array(arguments.dropFirst(3)))
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

  private static func run(_ binary: String, _ probes: String, _ rounds: Int, _ names: [String]) throws -> Tally {
    let lab = try Lab(binary: binary, spawner: Program(path: "\(probes)/spawn_cost"))
    let sections = Sections(lab: lab, probes: probes, rounds: rounds)
    if let unknown = names.first(where: { name in !sections.all.contains { $0.name == name } }) {
      throw Failure(reason: "no section '\(unknown)'; there are \(sections.all.map(\.name).joined(separator: ", "))")
    }
    var load = 0.0
    getloadavg(&load, 1)
    print(
      """
      \(lab.place), \(lab.cores) cores, load \(fixed(load, 2))
      Medians of \(rounds) rounds; ratio: left to right, the median of paired rounds
      ~ the 95 % interval of the median reaches across the limit: too close or too unsteady to tell

      """)
    var tally = Tally()
    for section in sections.all where names.isEmpty || names.contains(section.name) {
      print(section.title)
      fflush(nil)
      tally.show(section.rows())
    }
    print(tally.text)
    return tally
  }
}
