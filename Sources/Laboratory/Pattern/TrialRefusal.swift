import Platform

extension Trial {
  /// The exit status of a worker whose request is missing or invalid.
  static let badRequest: Int32 = 64

  /// Prints the reason, and ends the process of a worker whose request is not from the lab.
  static func refuse(_ reason: String) -> Never {
    try? writeAll("\(Tool.command) worker: \(reason.inLine)\n", to: STDERR_FILENO)
    exit(badRequest)
  }
}
