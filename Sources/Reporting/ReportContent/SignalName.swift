/// The names of signals, whose numbers differ between systems.
enum SignalName {
  private static let common = [
    1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 8: "FPE", 9: "KILL", 11: "SEGV", 13: "PIPE",
    14: "ALRM", 15: "TERM",
  ]
  private static let linux = [7: "BUS", 10: "USR1", 12: "USR2", 31: "SYS"]
  private static let darwin = [10: "BUS", 12: "SYS", 30: "USR1", 31: "USR2"]

  /// Returns the name of a signal, such as `SIGILL`; `signal 77` if the number has no name.
  ///
  /// - Parameters:
  ///   - number: the number of the signal, in decimal.
  ///   - system: the name of the operating system.
  static func name(_ number: String, on system: String) -> String {
    let own = system == "Linux" ? linux : darwin
    return Int(number).flatMap { common[$0] ?? own[$0] }.map { "SIG\($0)" } ?? "signal \(number)"
  }
}
